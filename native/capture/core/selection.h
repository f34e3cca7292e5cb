// Selects the dispatches to be captured: counts matches of each selection and says when one is due.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "capture/core/allocation.h"

namespace kernloop::capture {

// Properties by which Each::kGeometry and kKernel distinguish launches.
struct LaunchShape {
  uint32_t kernel = 0;  // KernelReply::identity
  std::array<uint64_t, 3> grid_work_items{};
  std::array<uint32_t, 3> block_threads{};
  auto operator<=>(const LaunchShape&) const = default;
};

// One dispatch, as selections see it.
struct Candidate {
  uint64_t selections = 0;  // selections whose name it has; a bit each
  uint64_t gates = 0;       // selections that begin to count behind it
  LaunchShape shape = {};
};

// A dispatch that is due. Its holder ends it with settle_…() exactly once.
struct Due {
  uint32_t selection = 0;
  uint64_t ordinal = 0;                 // this match's, from 1
  std::vector<ByteRange> widened = {};  // regions that an earlier attempt proved to be needed
  LaunchShape shape = {};
};

class SelectionSet {
 public:
  // `matches`: counters of matches by selection, for others to read, or null.
  void configure(std::vector<SelectionRequest> requests, std::atomic<uint64_t>* matches = nullptr);
  const SelectionRequest& request(uint32_t selection) const { return requests_[selection]; }

  // False if nothing is left to capture or to count: the fast path of every dispatch.
  bool anything_left() const { return left_.load(std::memory_order_relaxed) != 0; }

  // Counts one dispatch and returns the selections that want it now.
  std::vector<Due> on_dispatch(const Candidate& candidate);

  // This match could not be captured now: the next suitable one is due instead.
  void settle_defer(const Due& due);
  // Captured, or refused for good.
  void settle_done(const Due& due);
  // The scope was too small: the next one that will do instead is due, with these regions added.
  // False when it was widened too often; this match is done then.
  bool settle_widen(const Due& due, const std::vector<ByteRange>& regions);

 private:
  struct State {
    uint64_t gates_seen = 0;
    uint64_t matches = 0;
    uint64_t taken = 0;  // captured, refused or in progress: the limit counts these
    uint32_t in_progress = 0;
    bool done = false;
    uint32_t widenings = 0;
    std::vector<ByteRange> widened;
    std::set<LaunchShape> seen;
  };
  bool is_due(const SelectionRequest& request, const State& state, const LaunchShape& shape) const;
  void give_back(const Due& due);
  void end_if_exhausted(uint32_t selection);

  std::vector<SelectionRequest> requests_;
  std::mutex mutex_;
  std::vector<State> states_;
  std::atomic<uint64_t>* matches_ = nullptr;
  std::atomic<uint32_t> left_{0};
};

}  // namespace kernloop::capture
