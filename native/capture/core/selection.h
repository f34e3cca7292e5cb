// Which dispatches are to be captured: counts matches of each selection and says when one is due.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "capture/core/allocation.h"

namespace kernloop::capture {

// A dispatch that is due. The holder of one ends it with settle() exactly once.
struct Due {
  uint32_t selection = 0;
  uint64_t ordinal = 0;            // this match's, from 1
  std::vector<ByteRange> widened;  // regions that an earlier attempt proved to be needed
};

class SelectionSet {
 public:
  void configure(std::vector<SelectionRequest> requests);
  const SelectionRequest& request(uint32_t selection) const { return requests_[selection]; }

  // False when nothing is left to capture: the fast path of every dispatch.
  bool anything_left() const { return left_.load(std::memory_order_relaxed) != 0; }

  // Counts one dispatch of a kernel with these selections and returns those that are due now.
  std::vector<Due> on_dispatch(uint64_t selections);

  // This match could not be captured now: the next one is due.
  void settle_defer(uint32_t selection);
  // Captured, or refused for good.
  void settle_done(uint32_t selection);
  // The scope was too small: the next match is due, with these regions added.
  // False when it was widened too often; the selection is done then.
  bool settle_widen(uint32_t selection, const std::vector<ByteRange>& regions);

 private:
  static constexpr uint32_t kMaxWidenings = 4;
  struct State {
    uint64_t matches = 0;
    uint64_t due_at = 1;
    bool done = false;
    bool in_progress = false;
    uint32_t widenings = 0;
    std::vector<ByteRange> widened;
  };
  std::vector<SelectionRequest> requests_;
  std::mutex mutex_;
  std::vector<State> states_;
  std::atomic<uint32_t> left_{0};
};

}  // namespace kernloop::capture
