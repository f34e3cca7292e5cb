// Calls that launch kernels.
#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"
#include "capture/cuda/captured_launch.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

CUstream stream_of(const std::optional<Launch>& launch) {
  return launch ? launch->stream : nullptr;
}

void before_launch(const ApiCall& call) {
  CudaAgent& agent = call.agent;
  const CUfunction handle = launched_function(call.id, call.data.functionParams);
  if (handle == nullptr) return;
  const KernelEntry* kernel = agent.launched_kernel(handle, call.data.symbolName, call.thread);
  if (!kernel->is_wanted()) {
    // Once graphs are followed, their nodes count when they run.
    if (agent.armed() && agent.graphs.any_captured() &&
        agent.graphs.is_captured(stream_of(read_launch(call.id, call.data.functionParams)))) {
      return;
    }
    kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
    agent.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
    agent.count_launch();
    return;
  }
  agent.arm();
  agent.let_in(call);
  std::optional<Launch> launch = read_launch(call.id, call.data.functionParams);
  // A node of a graph, not a dispatch.
  if (agent.graphs.is_captured(stream_of(launch))) {
    agent.graphs.node_added(*kernel);
    kernloop_captures_begun.fetch_add(1);
    return;
  }
  kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
  const uint64_t index = agent.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
  std::vector<Due> due = agent.selections.on_dispatch({kernel->selections, kernel->gates, shape_of(*kernel, launch)});
  if (due.empty() || agent.defer_while_captured(*kernel, due)) return;
  agent.tell_of_devices();
  const CUcontext context = context_of(*agent.driver, stream_of(launch), call.data.context);
  call.thread.capturing = CapturedLaunch::before(agent, *kernel, call.data.functionName, std::move(launch), handle,
                                                 context, index, std::move(due));
}

// A launch may have loaded the kernel's module.
void after_launch(const ApiCall& call) {
  if (call.thread.loaded.size() != 1) return;
  const CUfunction handle = launched_function(call.id, call.data.functionParams);
  const OwnCalls own;
  const UncapturedCalls uncaptured(*call.agent.driver);
  CUmodule module = nullptr;
  if (handle != nullptr && call.succeeded() && !call.agent.graphs.any_captured() &&
      call.agent.driver->cuFuncGetModule(&module, call.agent.function_of(handle)) == CUDA_SUCCESS) {
    call.agent.cubins.is_module(module, call.thread.loaded.front());
  }
}

}  // namespace

#define ON(function) table.set(CUPTI_DRIVER_TRACE_CBID_##function, Watch::kLaunches, before_launch, after_launch)

void add_launch_calls(ApiTable& table) {
  ON(cuLaunchKernel);
  ON(cuLaunchKernel_ptsz);
  ON(cuLaunchKernelEx);
  ON(cuLaunchKernelEx_ptsz);
  ON(cuLaunchCooperativeKernel);
  ON(cuLaunchCooperativeKernel_ptsz);
  ON(cuLaunchCooperativeKernelMultiDevice);
  ON(cuLaunch);
  ON(cuLaunchGrid);
  ON(cuLaunchGridAsync);
}

#undef ON

}  // namespace kernloop::capture
