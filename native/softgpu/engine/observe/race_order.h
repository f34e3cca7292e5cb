// Order of events, as far as the accesses of a dispatch show it: for the race detector.
//
// Time is the number of accesses so far. A wave knows what the other waves of its workgroup did before the last
// barrier, and a workgroup knows what another one did up to the store, or the atomic, whose result one of its waves has
// seen by an atomic or by a load past the caches (volatile, or atomic in device scope); and everything that the other
// one knew. It knows the stores that had been waited for by then: that is a release in machine code. Acquires cannot be
// distinguished: each such access counts as one. Knowledge that was dropped for room counts as known. Unordered
// accesses may therefore pass for ordered ones, never the other way round.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kernloop::softgpu {

class RaceOrder {
 public:
  struct Group {
    uint32_t serial = 0;
    uint32_t id[3] = {0, 0, 0};
    uint32_t horizon = 0;  // all that any workgroup did until then is known
    uint32_t learnt = 0;   // when something was learnt last
    struct Known {
      uint32_t serial = 0;
      uint32_t time = 0;      // all its events until then are known, except
      uint32_t released = 0;  // stores after this
    };
    static constexpr unsigned kMost = 24;  // more than are resident at once; the oldest make room
    std::array<Known, kMost> known;
    unsigned count = 0;
  };

  // A new workgroup.
  uint32_t add(const uint32_t id[3]);
  // None for a workgroup that began long ago.
  const Group* find(uint32_t serial) const;

  // Whether everything that workgroup `of` did until `time` is ordered before the next access of `by`, except for its
  // stores; and whether its stores are.
  bool knows(uint32_t by, uint32_t of, uint32_t time) const;
  bool knows_stores(uint32_t by, uint32_t of, uint32_t time) const;
  // `now`: when that happens.
  void learn(uint32_t by, const Group::Known& what, uint32_t now);
  // `by` has passed a barrier of the whole grid.
  void learn_all(uint32_t by, uint32_t time);

 private:
  static constexpr uint32_t kRemembered = 16384;
  static void add_known(Group& group, const Group::Known& what);
  Group& group(uint32_t serial) { return groups_[serial % kRemembered]; }

  std::vector<Group> groups_;  // by serial, a ring
  uint32_t next_ = 1;
};

}  // namespace kernloop::softgpu
