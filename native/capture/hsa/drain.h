// Waits until every queue is idle, or waits for what is held back. While there is something to capture, every batch
// handed on to a queue ends with a barrier that decrements the queue's signal, which counts such barriers: at zero the
// queue is idle. Packets and barrier go on in one call of the packet writer. ROCr before ROCm 6.0 allows no second one
// in a handler ("Support intercept queue with multiple packet rewriters", October 2023), and hands it one packet at a
// time.
#pragma once

#include <optional>

#include "capture/core/device_capture.h"
#include "capture/hsa/queues/copy_tracker.h"
#include "capture/hsa/queues/held_back.h"
#include "capture/hsa/queues/left_waiting.h"
#include "capture/hsa/queues/queue_state.h"

namespace kernloop::capture {

// Waits for all packets before it, and takes one from the signal.
AqlPacket barrier_packet(hsa_signal_t completion);

class Drainer {
 public:
  Drainer(const HsaOriginals& hsa, QueueList& queues, CopyTracker& copies)
      : hsa_(hsa), queues_(queues), copies_(copies) {}

  // Called from the queue's handler. While there is something to capture, all packets are handed on through this.
  void hand_on(QueueState& queue, const AqlPacket* packets, uint64_t count, PacketWriter write) const;
  // While the app's calls are held. The queue of the dispatch has to be idle. Adds to `left` what waits for what is
  // held back.
  std::optional<Error> wait(const QueueState& of_dispatch, Deadline deadline, LeftWaiting& left);

 private:
  HeldBack held_back(const std::vector<QueueState*>& queues) const;

  const HsaOriginals& hsa_;
  QueueList& queues_;
  CopyTracker& copies_;
};

}  // namespace kernloop::capture
