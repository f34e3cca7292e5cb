// Signals that nothing completes while the app's calls are held: those of packets that are not handed on yet, of copies
// whose calls are held, and of all that the device has and that waits for those. HIP lets a queue wait for a packet or
// a copy before the thread that hands it over does so. Such a queue does not become idle, and need not: it goes on only
// after the hold.
#pragma once

#include <unordered_set>
#include <vector>

#include "capture/hsa/queues/copy_tracker.h"
#include "capture/hsa/queues/queue_state.h"

namespace kernloop::capture {

class HeldBack {
 public:
  explicit HeldBack(const HsaOriginals& hsa) : hsa_(hsa) {}

  // The signal completes only after the hold.
  void add(hsa_signal_t signal);
  // Signals of the packets that wait in the queue's ring.
  void add_ring_of(const QueueState& queue);
  // Erases what waits for one of the signals, and adds its own signals, until nothing more does.
  void erase_waiting(std::vector<QueueState*>& queues, std::vector<CopyInFlight>& copies);

 private:
  bool has(hsa_signal_t signal) const { return signals_.contains(signal.handle); }
  bool is_closed(hsa_signal_t signal) const;
  bool keeps_back(const AqlPacket& packet) const;
  // Whether the queue waits for one of the signals. If so, its own signals are added.
  bool takes(const QueueState& queue);
  bool takes_plain(const QueueState& queue);
  bool keeps_back(const CopyInFlight& copy) const;

  const HsaOriginals& hsa_;
  std::unordered_set<uint64_t> signals_;
};

}  // namespace kernloop::capture
