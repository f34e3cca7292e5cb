// Expected counters of a launch, computed from the kernels' meaning: each wave goes through its kernel with a mask of
// active lanes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kernloop::pgo_pass {

using Mask = uint64_t;

/// Visits of a block, or of a select's true side.
struct Visits {
  uint64_t lanes = 0, waves = 0;
  uint64_t uniform = 0;  // lanes of visits by all lanes that were at the branch before
  uint64_t full = 0;     // lanes of visits by whole waves
  bool operator==(const Visits&) const = default;
};

struct FunctionVisits {
  std::map<unsigned, Visits> blocks;   // by ordinal in the function
  std::map<unsigned, Visits> selects;  // by order in it
  bool lanes_only = false;             // how waves go through it is not in its source
};

using Expected = std::map<std::string, FunctionVisits>;

struct Launch {
  unsigned grid[3];
  unsigned block;  // threads, along x
  unsigned n, count;

  unsigned threads() const { return grid[0] * block; }
  bool operator==(const Launch&) const = default;
};

/// The contents of `in`.
inline unsigned input(unsigned index) {
  return (index * 2654435761u >> 9) % 1000;
}

/// One wave of a workgroup.
class HostWave {
 public:
  HostWave(Expected& expected, const Launch& launch, unsigned size, const std::array<unsigned, 3>& workgroup,
           unsigned first);

  /// The function that at() and select() are in.
  void in(const std::string& function) { function_ = function; }
  /// `mask` came to a block from `before`, the lanes that were at the branch leading there.
  void at(unsigned block, Mask mask, Mask before);
  /// One lane visits a block of a function whose waves the compiler may regroup.
  void laneAt(unsigned block);
  void select(unsigned order, Mask active, const std::function<bool(unsigned lane)>& condition);
  Mask where(Mask mask, const std::function<bool(unsigned lane)>& condition) const;

  Mask all() const { return all_; }
  unsigned thread(unsigned lane) const { return first_ + lane; }
  unsigned index(unsigned lane) const { return workgroup[0] * launch.block + first_ + lane; }

  const Launch& launch;
  const std::array<unsigned, 3> workgroup;

 private:
  void add(Visits& visits, Mask mask, Mask before) const;

  Expected& expected_;
  unsigned size_, first_;
  Mask all_;
  std::string function_;
};

/// A kernel of kernels.hip.
struct Oracle {
  std::string kernel;
  void (*run)(HostWave& wave);
};
const std::vector<Oracle>& oracles();

/// Whole groups with a tail; groups that fill no wave; a grid in three dimensions; groups whose last wave is partial.
const std::vector<Launch>& launchesToCount();
std::string inWords(const Oracle& oracle, const Launch& launch);

/// Whether a workgroup is among the one in N that count (README.md of the plugin), or a launch with its number as x.
bool isChosen(uint32_t x, uint32_t y, uint32_t z, unsigned one_in);

/// Counts of a kernel's launch on a device with waves of that size, in the workgroups for which `counts` is true.
void expect(Expected& expected, const Oracle& oracle, const Launch& launch, unsigned wave_size,
            const std::function<bool(const std::array<unsigned, 3>& workgroup)>& counts);

}  // namespace kernloop::pgo_pass
