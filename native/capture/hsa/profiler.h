// Profile mode: reports the cost of every dispatch from the stamps in its completion signal. The app's own signal stays
// in the packet, so that other queues wait for it without a thread of the host. A dispatch without one gets one of
// ours.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "capture/core/kernel_table.h"
#include "capture/core/recorder_client.h"
#include "capture/hsa/queues/queue_state.h"
#include "capture/hsa/softgpu_counters.h"

namespace kernloop::capture {

class Profiler {
 public:
  Profiler(const HsaOriginals& hsa, RecorderClient& recorder) : hsa_(hsa), recorder_(recorder), counters_(hsa) {}

  // True: the packet has a completion signal of ours now. False: it stays as it is.
  bool attach(hsa_kernel_dispatch_packet_t& packet, const KernelEntry& kernel, const QueueState& queue);
  // The app writes to the signal, destroys it, or gives it to other work: the stamps in it are taken before.
  void signal_reused(hsa_signal_t signal) {
    if (in_flight_.load(std::memory_order_relaxed) != 0) forget(signal);
  }
  // Reports what has completed, in each queue up to the first dispatch that has not.
  void report_completed();
  // False when some dispatch has not completed at the deadline.
  bool wait_all(Deadline deadline);
  // Dispatches whose signal was used for something else before their stamps were taken.
  uint64_t lost() const { return lost_.load(); }
  // Gives back the signals that wait for further dispatches.
  void release();

 private:
  // One dispatch on its way.
  struct Flight {
    Profiler* profiler = nullptr;
    OwnSignal own;
    hsa_signal_t signal{0};  // in the packet: our own or the app's
    hsa_signal_t app_signal{0};
    const QueueState* queue = nullptr;
    ProfileMessage message;
    bool is_listed = false;
  };
  static bool on_complete(hsa_signal_value_t value, void* data);
  std::unique_ptr<Flight> take();
  bool keep_signal(std::unique_ptr<Flight>& flight);
  bool launch(std::unique_ptr<Flight> flight, hsa_kernel_dispatch_packet_t& packet);
  void list(Flight& flight);
  void unlist(Flight& flight);
  bool end(hsa_signal_t app_signal);
  void forget(hsa_signal_t signal);
  void report(const Flight& flight);
  bool is_complete(const Flight& flight) const { return hsa_.core.hsa_signal_load_scacquire_fn(flight.signal) < 1; }

  const HsaOriginals& hsa_;
  RecorderClient& recorder_;
  SoftgpuCounters counters_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Flight>> idle_;
  std::unordered_map<const QueueState*, std::deque<Flight*>> listed_;  // not reported yet, in the order of submission
  std::unordered_map<uint64_t, std::unique_ptr<Flight>> kept_;         // those with the app's signal, by it
  std::atomic<uint64_t> in_flight_{0};
  std::atomic<uint64_t> lost_{0};
};

LaunchGeometry geometry_of(const hsa_kernel_dispatch_packet_t& packet);
// Computed from the stamps in the signal, in nanoseconds; 0 if the runtime has none.
uint64_t dispatch_duration_ns(const HsaOriginals& hsa, hsa_agent_t device, hsa_signal_t signal);

}  // namespace kernloop::capture
