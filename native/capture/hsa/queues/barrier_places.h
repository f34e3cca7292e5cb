// Places of our barriers in the ring of a queue that cannot be intercepted (plain_queue.h). They complete in turn, and
// the queue's signal counts those that have not: so it is known which packet of the app such a queue waits at.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "capture/hsa/queues/backlog.h"

namespace kernloop::capture {

class BarrierPlaces {
 public:
  // `take` gives a barrier its place, or returns false.
  template <typename Take>
  bool add(Take&& take) {
    const std::lock_guard lock(mutex_);
    places_.push_back(0);  // while there is no place yet, which would have to be filled
    if (take(&places_.back())) return true;
    places_.pop_back();
    return false;
  }
  // Forgets all but the barriers that are not complete, and the last one that is.
  void keep_last(uint64_t unfinished);

  // The packets behind the last barrier that is complete, if the first one waits for signals and a barrier of ours is
  // right behind it. Else none.
  std::vector<AqlPacket> waiting(const hsa_queue_t& queue) const;

 private:
  mutable std::mutex mutex_;
  std::deque<uint64_t> places_;
  bool is_first_complete_ = false;
};

}  // namespace kernloop::capture
