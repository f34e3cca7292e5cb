// The one instance of the CUDA agent in a process: state that every callback needs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/core/agent_base.h"
#include "capture/cuda/app/api_call.h"
#include "capture/cuda/app/contexts.h"
#include "capture/cuda/app/cubins.h"
#include "capture/cuda/app/graph_execs.h"
#include "capture/cuda/app/graphs.h"
#include "capture/cuda/launch/redirection.h"
#include "capture/cuda/memory/tensor_maps.h"
#include "capture/cuda/memory/tracked_memory.h"
#include "capture/cuda/profiler.h"
#include "capture/cuda/subscription.h"
#include "cuda/cupti.h"
#include "cuda/driver.h"

namespace kernloop::capture {

class CudaAgent : public AgentBase {
 public:
  // Never destroyed: the app's threads may be inside of it at any time, its exit included.
  static CudaAgent* get() { return instance_.load(std::memory_order_acquire); }
  // An Error: CUPTI is not to be had.
  static Status start(std::shared_ptr<const cuda::Driver> driver, std::shared_ptr<const cuda::Cupti> cupti,
                      std::unique_ptr<RecorderClient> client, std::string log);

  // The app was given a kernel's handle, by a module or library.
  void handle_given(const void* handle, const char* symbol, const void* owner);
  void forget_handles_of(const void* owner);

  // The launched kernel's entry; `symbol` may be null.
  const KernelEntry* launched_kernel(cuda::CUfunction handle, const char* symbol, ThreadState& thread);
  // The same for a handle whose name is known; null if no selection wants it.
  const KernelEntry* wanted_kernel(cuda::CUfunction handle, ThreadState& thread);
  // A handle may be a kernel of no context yet (CUkernel).
  cuda::CUfunction function_of(cuda::CUfunction handle) const;

  // The handle under which the kernel of a graph's node is known, or becomes known now; the driver has two.
  cuda::CUfunction handle_of(const cuda::CUDA_KERNEL_NODE_PARAMS& node);
  // Nothing may synchronise while some stream of the process is captured into a graph: a later dispatch is captured
  // instead.
  bool defer_while_captured(const KernelEntry& kernel, const std::vector<Due>& due);
  // A graph's node that could not be taken out of its graph.
  void node_not_taken(const KernelEntry& kernel, const std::string& why);
  // Called with the app's calls held and the GPU idle. The calling thread is inside of the gate.
  template <typename Work>
  std::optional<Error> while_idle(Deadline deadline, Work&& work) {
    hold.take_turn();
    const std::unique_ptr<HoldGate, void (*)(HoldGate*)> held(&hold, [](HoldGate* gate) { gate->release(); });
    std::optional<Error> refusal = become_idle(deadline);
    return refusal ? refusal : std::forward<Work>(work)();
  }

  void module_loaded(uint32_t module_id, std::span<const uint8_t> cubin, ThreadState& thread);
  // Tells the recorder of each GPU that has a context, once. Not from within the making of a context.
  void tell_of_devices();

  // A kernel that is wanted may be launched from now on: every call of the app is seen.
  bool armed() const { return armed_.load(std::memory_order_acquire); }
  void arm();
  // The call waits while a capture holds the app's calls, and counts as inside of the driver until it returns.
  void let_in(const ApiCall& call);
  void let_out(const ApiCall& call);
  void count_launch();

  // A capture that is between its two halves needs the callback that ends it.
  void capture_began() { captures_.fetch_add(1); }
  void capture_ended() { captures_.fetch_sub(1); }
  // After the last capture, or after a failure of ours: detaches from the app. `alone()`: no other thread is in a
  // callback.
  void end_if_done(bool (*alone)());
  // In a forked child: neither the driver, CUPTI nor the agent works there.
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }

  const std::shared_ptr<const cuda::Driver> driver;
  const std::shared_ptr<const cuda::Cupti> cupti;
  const ApiTable calls;
  TrackedMemory memory;
  Contexts contexts;
  Cubins cubins;
  Graphs graphs;
  GraphExecs graph_execs;
  Redirection redirection;
  TensorMaps tensor_maps;
  CudaProfiler profiler;

 private:
  struct Handle {
    std::string symbol;
    const void* owner = nullptr;
  };
  CudaAgent(std::shared_ptr<const cuda::Driver> driver, std::shared_ptr<const cuda::Cupti> cupti,
            std::unique_ptr<RecorderClient> client, std::string log);
  bool is_busy();
  ResolvedKernel resolve(cuda::CUfunction handle, const std::string& symbol, ThreadState& thread);
  std::string symbol_of(cuda::CUfunction handle);
  void tell_of_graphs();
  std::optional<Error> become_idle(Deadline deadline);
  static void after_fork_in_child();
  static void at_exit();

  static std::atomic<CudaAgent*> instance_;
  std::unique_ptr<Subscription> subscription_;
  std::atomic<bool> armed_{false};
  std::atomic<bool> counting_{true};
  std::atomic<bool> resting_{false};  // nothing is left to capture, and CUPTI is not ended yet
  std::atomic<uint64_t> launches_{0};
  std::atomic<uint32_t> captures_{0};
  std::atomic<uint32_t> end_attempts_{0}, busy_attempts_{0};
  std::atomic<bool> abandoned_{false};
  std::mutex handles_mutex_;
  std::unordered_map<const void*, Handle> handles_;
  std::mutex notes_mutex_;
  std::set<std::pair<const KernelEntry*, std::string>> not_taken_;  // already reported
  std::atomic<uint32_t> deferrals_told_{0};
  std::mutex devices_mutex_;
  std::vector<int> devices_;  // already reported
};

// CUPTI's callback.
void on_callback(void*, cuda::CUpti_CallbackDomain domain, cuda::CUpti_CallbackId id, const void* data);

}  // namespace kernloop::capture
