// Profile mode: gives every dispatch a completion signal of our own and reports its cost.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/core/kernel_table.h"
#include "capture/core/recorder_client.h"
#include "capture/hsa/queue_state.h"
#include "capture/hsa/softgpu_counters.h"

namespace kernloop::capture {

class Profiler {
 public:
  Profiler(const HsaOriginals& hsa, RecorderClient& recorder) : hsa_(hsa), recorder_(recorder), counters_(hsa) {}

  // Replaces the packet's completion signal by ours. False: no signal is available, the packet stays as it is.
  bool attach(hsa_kernel_dispatch_packet_t& packet, const KernelEntry& kernel, hsa_agent_t device);
  // The same for a barrier packet behind dispatches, which reports nothing by itself: an app that waits for it may end
  // at once (_exit), and what ran before is to be reported by then. False: nothing is to be reported.
  bool attach_barrier(hsa_kernel_dispatch_packet_t& packet);
  // False when some dispatch has not completed at the deadline.
  bool wait_all(Deadline deadline);
  // Gives back the signals that wait for further dispatches.
  void release();

 private:
  // One packet on its way.
  struct Flight {
    Profiler* profiler = nullptr;
    OwnSignal signal;
    hsa_signal_t app_signal{0};
    hsa_agent_t device{};
    ProfileMessage message;
    bool is_dispatch = false, is_reported = false;
  };
  static bool on_complete(hsa_signal_value_t value, void* data);
  std::unique_ptr<Flight> take();
  bool launch(std::unique_ptr<Flight> flight, hsa_kernel_dispatch_packet_t& packet);
  void report(Flight& flight);
  // Handlers of signals run in any order: each reports all dispatches that are complete.
  void report_completed();

  const HsaOriginals& hsa_;
  RecorderClient& recorder_;
  SoftgpuCounters counters_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Flight>> idle_;
  std::vector<Flight*> dispatches_;     // in flight
  std::atomic<uint64_t> in_flight_{0};  // their number
};

LaunchGeometry geometry_of(const hsa_kernel_dispatch_packet_t& packet);
// Computed from the stamps in the signal, in nanoseconds; 0 if the runtime has none.
uint64_t dispatch_duration_ns(const HsaOriginals& hsa, hsa_agent_t device, hsa_signal_t signal);

}  // namespace kernloop::capture
