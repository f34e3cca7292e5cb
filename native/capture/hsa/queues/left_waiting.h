// Queues and copies that a capture found waiting for the end of its hold (held_back.h). It is right only if they still
// wait when its last byte is read: the app's threads and kernels may complete signals, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/hsa/queues/copy_tracker.h"
#include "capture/hsa/queues/queue_state.h"

namespace kernloop::capture {

class LeftWaiting {
 public:
  explicit LeftWaiting(const HsaOriginals& hsa) : hsa_(hsa) {}

  // `unfinished`: of our barriers, when the queue was seen to wait. One of them is right behind the packet that waits.
  void add(const QueueState& queue, hsa_signal_value_t unfinished) { queues_.push_back({&queue, unfinished}); }
  void add(CopyInFlight copy);
  // Names one that has gone on since.
  std::optional<std::string> gone_on() const;

 private:
  struct Queue {
    const QueueState* state;
    hsa_signal_value_t unfinished;
  };
  struct Copy {
    CopyInFlight copy;
    hsa_signal_value_t value;
  };
  bool has_gone_on(const Copy& copy) const;

  const HsaOriginals& hsa_;
  std::vector<Queue> queues_;
  std::vector<Copy> copies_;
};

}  // namespace kernloop::capture
