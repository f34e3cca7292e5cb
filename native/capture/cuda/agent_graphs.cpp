// The agent's handling of CUDA graphs.
#include <array>

#include "capture/cuda/agent.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

constexpr uint32_t kMostNotes = 8;

}  // namespace

void CudaAgent::tell_of_graphs() {
  if (!selections.anything_left()) return;
  for (const Graphs::Node& node : graphs.nodes()) {
    note("GRAPH_LAUNCH", node.kernel->symbol + " was made " + std::to_string(node.nodes) +
                             " time(s) a node of a CUDA graph, but no launch of an executable graph was seen to run it "
                             "(graphs were launched " +
                             std::to_string(graphs.launches()) + " time(s))");
  }
}

void CudaAgent::node_not_taken(const KernelEntry& kernel, const std::string& why) {
  {
    std::lock_guard lock(notes_mutex_);
    if (not_taken_.size() >= kMostNotes || !not_taken_.emplace(&kernel, why).second) return;
  }
  note("GRAPH_LAUNCH", kernel.symbol + " ran as a node of a CUDA graph, out of which it cannot be taken: " + why);
}

bool CudaAgent::defer_while_captured(const KernelEntry& kernel, const std::vector<Due>& due) {
  if (!graphs.any_captured()) return false;
  for (const Due& one : due) selections.settle_defer(one);
  if (deferrals_told_.fetch_add(1) >= kMostNotes) return true;
  note("CAPTURE_DEFERRED", "a launch of " + kernel.symbol +
                               " fell into the capture of a CUDA graph on another stream, when nothing may "
                               "synchronise: the next one is captured instead");
  return true;
}

// A library's kernel has a handle of its own (CUkernel) and one for each context; the program may use either.
CUfunction CudaAgent::handle_of(const CUDA_KERNEL_NODE_PARAMS& node) {
  const auto kernel = reinterpret_cast<CUfunction>(node.kern);
  {
    std::lock_guard lock(handles_mutex_);
    for (CUfunction handle : {node.func, kernel}) {
      if (handle != nullptr && handles_.contains(handle)) return handle;
    }
  }
  const OwnCalls own;
  const char* name = nullptr;
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  if (node.func != nullptr && driver->cuFuncGetName != nullptr &&
      driver->cuFuncGetName(&name, node.func) == CUDA_SUCCESS) {
    driver->cuFuncGetModule(&module, node.func);
    handle_given(node.func, name, module);
    return node.func;
  }
  if (node.kern != nullptr && driver->cuKernelGetName != nullptr &&
      driver->cuKernelGetName(&name, node.kern) == CUDA_SUCCESS) {
    if (driver->cuKernelGetLibrary != nullptr) driver->cuKernelGetLibrary(&library, node.kern);
    handle_given(kernel, name, library);
  }
  return kernel != nullptr ? kernel : node.func;
}

std::optional<Error> CudaAgent::become_idle(Deadline deadline) {
  if (!hold.wait_alone(deadline)) {
    return Error{"HOLD_LIMIT", "another thread of the app stayed inside a call of the driver past the drain limit",
                 "raise --drain-limit-ms if such calls are expected to take longer"};
  }
  if (graphs.any_captured()) {
    return Error{kDeferred, "another thread of the program captured a stream into a CUDA graph just then",
                 "capture again, or another dispatch"};
  }
  const OwnCalls own;
  return contexts.wait_idle(deadline);
}

}  // namespace kernloop::capture
