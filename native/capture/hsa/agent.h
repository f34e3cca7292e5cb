// The one instance of the agent in a process: what every intercepted function needs.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "capture/core/allocation_map.h"
#include "capture/core/hold.h"
#include "capture/core/kernel_table.h"
#include "capture/core/log.h"
#include "capture/core/recorder_client.h"
#include "capture/core/selection.h"
#include "capture/hsa/code_objects.h"
#include "capture/hsa/copy_tracker.h"
#include "capture/hsa/drain.h"
#include "capture/hsa/pools.h"
#include "capture/hsa/profiler.h"
#include "capture/hsa/queue_state.h"

namespace kernloop::capture {

class Agent {
 public:
  // The current instance; it is never destroyed, because the app's threads may be inside of it at any time, its exit
  // included.
  static Agent* get() { return instance_.load(std::memory_order_acquire); }
  // Replaces the instance: the runtime was shut down and started again, or this is a forked child.
  static Agent& start(const HsaOriginals& hsa, std::unique_ptr<RecorderClient> client, const Welcome& welcome,
                      std::string log);

  // False: every intercepted function is a plain call of the original.
  bool active() const { return active_.load(std::memory_order_relaxed); }
  bool profiling() const { return welcome.mode == Mode::kProfile; }
  // From now on the app runs as if we were not there.
  void retire(const char* why);
  // The recorder is told, and the log.
  void note(const char* code, const std::string& text);
  void finish();

  // Our own bookkeeping around a call of the app: a failure of ours (no memory) never becomes one of the app's.
  template <typename Work>
  void guarded(Work&& work) noexcept {
    try {
      if (active()) std::forward<Work>(work)();
    } catch (const std::exception& error) {
      retire(error.what());
    } catch (...) {
      retire("unknown failure");
    }
  }

  const KernelEntry* kernel(uint64_t kernel_object) {
    const KernelEntry* entry = kernels.find(kernel_object);
    return entry != nullptr ? entry : learn_kernel(kernel_object);
  }
  uint32_t next_capture() { return next_capture_.fetch_add(1, std::memory_order_relaxed); }

  const HsaOriginals hsa;
  const std::unique_ptr<RecorderClient> recorder;
  const Welcome welcome;
  Log log;
  HoldGate hold;
  AllocationMap allocations;
  SelectionSet selections;
  KernelTable kernels;
  Pools pools;
  CodeObjects code_objects;
  QueueList queues;
  CopyTracker copies;
  Drainer drainer;
  Profiler profiler;

 private:
  Agent(const HsaOriginals& hsa, std::unique_ptr<RecorderClient> client, const Welcome& welcome, std::string log);
  const KernelEntry* learn_kernel(uint64_t kernel_object);
  static void after_fork_in_child();
  static void at_exit();

  static std::atomic<Agent*> instance_;
  std::atomic<bool> active_{true};
  std::atomic<uint32_t> next_capture_{0};
  std::mutex learn_mutex_;
  uint32_t next_kernel_ = 0;
};

// The agent where it is at work, else nullptr.
inline Agent* active_agent() {
  Agent* agent = Agent::get();
  return agent != nullptr && agent->active() ? agent : nullptr;
}

}  // namespace kernloop::capture
