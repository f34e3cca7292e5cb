// Waits until every queue is idle. A queue drains when a barrier behind everything in it completes. That barrier gets
// there
//  - through our own packet writer, for the queue whose dispatch is captured;
//  - through the queue's own handler, if the app comes along to submit something and is about to be held: it leaves the
//  barrier first;
//  - else through a packet that a helper thread puts into the queue as the app would. A thread each, on its own:
//  ringing the
//    doorbell may run that queue's handler there, with packets of the app that then are held, or are captured
//    themselves;
//  - single-producer queues belong to the app's thread alone: there, every batch carries a barrier while there is
//  something to capture.
#pragma once

#include <atomic>
#include <optional>

#include "capture/core/device_capture.h"
#include "capture/hsa/copy_tracker.h"
#include "capture/hsa/queue_state.h"

namespace kernloop::capture {

class Drainer {
 public:
  Drainer(const HsaOriginals& hsa, QueueList& queues, CopyTracker& copies)
      : hsa_(hsa), queues_(queues), copies_(copies) {}

  // Before the app's calls are held.
  void begin();
  std::optional<Error> wait(QueueState& own, PacketWriter write, Deadline deadline);
  // After they were released.
  void end();

  // The handler of another queue is about to wait for the release.
  void on_held(QueueState& queue, PacketWriter write);
  // True when the packet is one of ours, which then has been dealt with.
  bool take_marker(const void* packet, QueueState& queue, PacketWriter write);
  // False: there never was a marker, no packet needs a look.
  bool may_see_markers() const { return used_.load(std::memory_order_relaxed); }

  void add_tail_barrier(QueueState& queue, PacketWriter write);

 private:
  bool inject(QueueState& queue, PacketWriter write);
  void put_marker(QueueState& queue, hsa_signal_t signal);

  const HsaOriginals& hsa_;
  QueueList& queues_;
  CopyTracker& copies_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> used_{false};
};

}  // namespace kernloop::capture
