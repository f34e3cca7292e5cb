// Waits until every queue is idle. While there is something to capture, every batch handed on to a queue ends with a
// barrier that decrements the queue's signal, which counts such barriers: at zero the queue is idle. Packets and
// barrier go on in one call of the packet writer. ROCr before ROCm 6.0 allows no second one in a handler ("Support
// intercept queue with multiple packet rewriters", October 2023), and hands it one packet at a time.
#pragma once

#include <optional>

#include "capture/core/device_capture.h"
#include "capture/hsa/copy_tracker.h"
#include "capture/hsa/queue_state.h"

namespace kernloop::capture {

// Waits for all packets before it, and takes one from the signal.
AqlPacket barrier_packet(hsa_signal_t completion);

class Drainer {
 public:
  Drainer(const HsaOriginals& hsa, QueueList& queues, CopyTracker& copies)
      : hsa_(hsa), queues_(queues), copies_(copies) {}

  // Called from the queue's handler. While there is something to capture, all packets are handed on through this.
  void hand_on(QueueState& queue, const AqlPacket* packets, uint64_t count, PacketWriter write) const;
  // While the app's calls are held.
  std::optional<Error> wait(Deadline deadline);

 private:
  const HsaOriginals& hsa_;
  QueueList& queues_;
  CopyTracker& copies_;
};

}  // namespace kernloop::capture
