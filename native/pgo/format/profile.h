// Profile in any file format: execution counts by function, and the measurements that Kernloop's instrumentation and
// LLVM's RFC add (lanes that entered together, visits of waves).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernloop::pgo {

// Sampling of a run: every block, one workgroup of `period`, one launch of `period`, or one workgroup of `period` in a
// part of the launches (../pass/README.md).
struct Sampling {
  enum class Kind : uint32_t { kAll = 0, kBlocks = 1, kLaunches = 2, kSparse = 3 };
  Kind kind = Kind::kAll;
  uint64_t period = 1;

  bool operator==(const Sampling&) const = default;
};

std::string to_text(const Sampling& sampling);  // "all", "blocks:8", "launches:64", "sparse:8"

enum class UniformRule : uint32_t { kBranch = 0, kFullMask = 1 };
const char* to_text(UniformRule rule);

// Blocks that are executed exactly as often as each other: one measurement holds for all of them.
inline constexpr uint32_t kNoCounter = 0xffffffff;

struct WaveClass {
  uint64_t waves = 0;
  uint64_t uniform_lanes = 0;     // 0 if nothing counts the class's lanes
  bool static_uniform = false;    // no divergent branch leads there
  uint32_t counter = kNoCounter;  // counter of its lanes

  bool operator==(const WaveClass&) const = default;
};

struct FunctionProfile {
  std::string name;
  uint64_t name_ref = 0;  // the low 8 bytes of MD5(name)
  uint64_t hash = 0;      // hash of the control flow graph
  std::vector<uint64_t> counters;
  std::vector<uint64_t> uniform;  // one per counter; none if it was not measured
  std::string pattern;            // in indexed profiles, which carry only the judgement: one of U, D a counter
  std::vector<WaveClass> classes;
  std::vector<uint32_t> counter_class;  // one per counter if there are classes
};

// Interpretation of the counters; profiles of different variants cannot be merged.
struct Variant {
  bool ir = true;  // -fprofile-generate; false: -fprofile-instr-generate
  bool entry_first = false;
  bool context_sensitive = false;
  bool loop_entries = false;

  bool operator==(const Variant&) const = default;
};

struct Profile {
  Variant variant;
  std::vector<FunctionProfile> functions;
  // Read past, not kept.
  uint64_t value_sites = 0;
  uint64_t binary_id_bytes = 0;
  // From the side files; empty and 0 without them.
  std::string arch;
  std::string cuid;
  uint32_t wave_size = 0;
  Sampling sampling;
  UniformRule uniform_rule = UniformRule::kBranch;
};

// U if at least 90% of the lanes entered with all the others, or if none ever did.
inline char uniformity(uint64_t total, uint64_t uniform) {
  const auto wide = [](uint64_t value) { return static_cast<unsigned __int128>(value); };
  return total == 0 || wide(uniform) * 10 >= wide(total) * 9 ? 'U' : 'D';
}

}  // namespace kernloop::pgo
