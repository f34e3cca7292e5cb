// Calls that launch kernels.
#include <atomic>

#include "capture/cuda/agent.h"
#include "capture/cuda/api_call.h"
#include "capture/cuda/captured_launch.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

constexpr uint32_t kMostNotes = 8;

CUstream stream_of(const std::optional<Launch>& launch) {
  return launch ? launch->stream : nullptr;
}

// Of a call that cannot be captured nothing but the kernel is known.
LaunchShape shape_of(const KernelEntry& kernel, const std::optional<Launch>& launch) {
  LaunchShape shape{kernel.identity, {}, {}};
  for (size_t i = 0; launch && i < 3; ++i) {
    shape.block_threads[i] = launch->block_threads[i];
    shape.grid_work_items[i] = uint64_t{launch->grid_blocks[i]} * launch->block_threads[i];
  }
  return shape;
}

// A stream has its context, whichever is current.
CUcontext context_of(const ApiCall& call, const std::optional<Launch>& launch) {
  const OwnCalls own;
  const Driver& driver = *call.agent.driver;
  const CUstream stream = stream_of(launch);
  CUcontext context = call.data.context;
  const bool special = stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  if (!special && driver.cuStreamGetCtx(stream, &context) == CUDA_SUCCESS) return context;
  if (context == nullptr) driver.cuCtxGetCurrent(&context);
  return context;
}

// Nothing may synchronise while some stream of the process is captured into a graph.
bool deferred(const ApiCall& call, const KernelEntry& kernel, const std::vector<Due>& due) {
  if (!call.agent.graphs.any_captured()) return false;
  for (const Due& one : due) call.agent.selections.settle_defer(one);
  static std::atomic<uint32_t> told{0};
  if (told.fetch_add(1) >= kMostNotes) return true;
  call.agent.note("CAPTURE_DEFERRED", "a launch of " + kernel.symbol +
                                          " fell into the capture of a CUDA graph on another stream, when nothing may "
                                          "synchronise: the next one is captured instead");
  return true;
}

void before_launch(const ApiCall& call) {
  CudaAgent& agent = call.agent;
  const CUfunction handle = launched_function(call.id, call.data.functionParams);
  if (handle == nullptr) return;
  const KernelEntry* kernel = agent.launched_kernel(handle, call.data.symbolName, call.thread);
  if (!kernel->is_wanted()) {
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
    return;
  }
  kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
  const uint64_t index = agent.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
  std::vector<Due> due = agent.selections.on_dispatch({kernel->selections, kernel->gates, shape_of(*kernel, launch)});
  if (due.empty() || deferred(call, *kernel, due)) return;
  agent.tell_of_devices();
  const CUcontext context = context_of(call, launch);
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
