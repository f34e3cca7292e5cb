// Calls that make executable graphs, change, launch and end them.
#include <cstring>

#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"
#include "capture/cuda/graph_launch.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

// The forms of CUDA 11 (cuGraphInstantiate, …_v2) begin alike; they have no flags.
void follow(const ApiCall& call, uint64_t flags) {
  const auto& p = call.params<cuGraphInstantiateWithFlags_params>();
  if (!call.succeeded() || p.phGraphExec == nullptr) return;
  const OwnCalls own;
  const UncapturedCalls uncaptured(*call.agent.driver);
  call.agent.graph_execs.made(*p.phGraphExec, std::make_shared<GraphExec>(*call.agent.driver, p.hGraph, flags));
}
void after_instantiate(const ApiCall& call) {
  follow(call, 0);
}
void after_instantiate_with_flags(const ApiCall& call) {
  follow(call, call.params<cuGraphInstantiateWithFlags_params>().flags);
}
void after_instantiate_with_params(const ApiCall& call) {
  const auto* const params = call.params<cuGraphInstantiateWithParams_params>().instantiateParams;
  follow(call, params != nullptr ? params->flags : 0);
}

// While the handle is still the graph's own.
void before_exec_destroy(const ApiCall& call) {
  const OwnCalls own;
  const auto followed = call.agent.graph_execs.gone(call.params<cuGraphExecDestroy_params>().hGraphExec);
  if (followed != nullptr && followed->parts_end != nullptr) call.agent.driver->cuEventDestroy(followed->parts_end);
}

// All calls that change an executable graph name it first.
std::shared_ptr<GraphExec> changed_exec(const ApiCall& call) {
  return call.succeeded() ? call.agent.graph_execs.find(*static_cast<const CUgraphExec*>(call.data.functionParams))
                          : nullptr;
}

// Repeats the change on the copy: `set(driver, node, parameters)`.
template <typename Params, typename Set>
void repeat(const ApiCall& call, Set&& set) {
  const auto followed = changed_exec(call);
  if (followed == nullptr) return;
  const OwnCalls own;
  const auto& p = call.params<Params>();
  followed->graph.changed(p.hNode, [&](CUgraphNode node) { return set(*call.agent.driver, node, p); });
}

// The form of CUDA 11 knows no kernels of libraries.
void after_exec_kernel_v1(const ApiCall& call) {
  repeat<cuGraphExecKernelNodeSetParams_v2_params>(call, [](const Driver& driver, CUgraphNode node, const auto& p) {
    CUDA_KERNEL_NODE_PARAMS params = {};
    std::memcpy(&params, p.nodeParams, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
    return driver.cuGraphKernelNodeSetParams(node, &params);
  });
}
void after_exec_kernel(const ApiCall& call) {
  repeat<cuGraphExecKernelNodeSetParams_v2_params>(call, [](const Driver& driver, CUgraphNode node, const auto& p) {
    return driver.cuGraphKernelNodeSetParams(node, p.nodeParams);
  });
}
void after_exec_memset(const ApiCall& call) {
  repeat<cuGraphExecMemsetNodeSetParams_params>(call, [](const Driver& driver, CUgraphNode node, const auto& p) {
    return driver.cuGraphMemsetNodeSetParams(node, p.memsetParams);
  });
}
void after_exec_memcpy(const ApiCall& call) {
  repeat<cuGraphExecMemcpyNodeSetParams_params>(call, [](const Driver& driver, CUgraphNode node, const auto& p) {
    return driver.cuGraphMemcpyNodeSetParams(node, p.copyParams);
  });
}
void after_exec_host(const ApiCall& call) {
  repeat<cuGraphExecHostNodeSetParams_params>(call, [](const Driver& driver, CUgraphNode node, const auto& p) {
    return driver.cuGraphHostNodeSetParams(node, p.nodeParams);
  });
}
void after_exec_node(const ApiCall& call) {
  repeat<cuGraphExecNodeSetParams_params>(call, [](const Driver& driver, CUgraphNode node, const auto& p) {
    return driver.cuGraphNodeSetParams != nullptr ? driver.cuGraphNodeSetParams(node, p.nodeParams)
                                                  : CUDA_ERROR_NOT_SUPPORTED;
  });
}
void after_set_enabled(const ApiCall& call) {
  const auto& p = call.params<cuGraphNodeSetEnabled_params>();
  if (const auto followed = changed_exec(call)) followed->graph.enabled(p.hNode, p.isEnabled != 0);
}
// Both forms.
void after_exec_update(const ApiCall& call) {
  const auto followed = changed_exec(call);
  if (followed == nullptr) return;
  const OwnCalls own;
  const UncapturedCalls uncaptured(*call.agent.driver);
  followed->graph.updated_from(call.params<cuGraphExecUpdate_v2_params>().hGraph);
}
void after_other_change(const ApiCall& call) {
  if (const auto followed = changed_exec(call))
    followed->graph.lose(std::string("it was changed by ") + call.data.functionName + ", which is not followed");
}

void launch(const ApiCall& call, CUstream stream) {
  CudaAgent& agent = call.agent;
  // A child of the graph that the stream is captured into.
  if (agent.graphs.is_captured(stream)) return;
  agent.graphs.graph_launched();
  const auto followed = agent.graph_execs.find(call.params<cuGraphLaunch_params>().hGraph);
  if (followed == nullptr) return;
  if (followed->parts_end != nullptr) {
    const OwnCalls own;
    agent.driver->cuStreamWaitEvent(stream, followed->parts_end, 0);
    agent.driver->cuEventDestroy(followed->parts_end);
    followed->parts_end = nullptr;
  }
  if (!agent.selections.anything_left()) return;
  GraphLaunch parts(call, followed, stream);
  const auto launch_rest = [&] {
    if (parts.rest() == nullptr) return;
    launch_instead(call.data, parts.rest());
    call.thread.launched_in_parts = followed;
  };
  // Even after a failure of ours, nodes that have run must not run again.
  try {
    parts.run();
  } catch (...) {
    launch_rest();
    throw;
  }
  launch_rest();
}
void before_graph_launch(const ApiCall& call) {
  launch(call, call.params<cuGraphLaunch_params>().hStream);
}
CUstream own_stream_of(const ApiCall& call) {
  const CUstream stream = call.params<cuGraphLaunch_params>().hStream;
  return stream != nullptr ? stream : CU_STREAM_PER_THREAD;
}
void before_graph_launch_per_thread(const ApiCall& call) {
  launch(call, own_stream_of(call));
}

void launched(const ApiCall& call, CUstream stream) {
  if (call.thread.launched_in_parts == nullptr) return;
  const auto followed = std::move(call.thread.launched_in_parts);
  const OwnCalls own;
  const Driver& driver = *call.agent.driver;
  const ContextScope current(driver, context_of(driver, stream, call.data.context));
  CUevent event = nullptr;
  if (driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
  driver.cuEventRecord(event, stream);
  followed->parts_end = event;
}
void after_graph_launch(const ApiCall& call) {
  launched(call, call.params<cuGraphLaunch_params>().hStream);
}
void after_graph_launch_per_thread(const ApiCall& call) {
  launched(call, own_stream_of(call));
}

}  // namespace

#define ON(function, before, after) table.set(CUPTI_DRIVER_TRACE_CBID_##function, Watch::kArmed, before, after)

void add_graph_exec_calls(ApiTable& table) {
  ON(cuGraphInstantiate, nullptr, after_instantiate);
  ON(cuGraphInstantiate_v2, nullptr, after_instantiate);
  ON(cuGraphInstantiateWithFlags, nullptr, after_instantiate_with_flags);
  ON(cuGraphInstantiateWithParams, nullptr, after_instantiate_with_params);
  ON(cuGraphInstantiateWithParams_ptsz, nullptr, after_instantiate_with_params);
  ON(cuGraphExecDestroy, before_exec_destroy, nullptr);
  ON(cuGraphExecKernelNodeSetParams, nullptr, after_exec_kernel_v1);
  ON(cuGraphExecKernelNodeSetParams_v2, nullptr, after_exec_kernel);
  ON(cuGraphExecMemsetNodeSetParams, nullptr, after_exec_memset);
  ON(cuGraphExecMemcpyNodeSetParams, nullptr, after_exec_memcpy);
  ON(cuGraphExecHostNodeSetParams, nullptr, after_exec_host);
  ON(cuGraphExecNodeSetParams, nullptr, after_exec_node);
  ON(cuGraphNodeSetEnabled, nullptr, after_set_enabled);
  ON(cuGraphExecUpdate, nullptr, after_exec_update);
  ON(cuGraphExecUpdate_v2, nullptr, after_exec_update);
  ON(cuGraphExecChildGraphNodeSetParams, nullptr, after_other_change);
  ON(cuGraphExecEventRecordNodeSetEvent, nullptr, after_other_change);
  ON(cuGraphExecEventWaitNodeSetEvent, nullptr, after_other_change);
  ON(cuGraphExecExternalSemaphoresSignalNodeSetParams, nullptr, after_other_change);
  ON(cuGraphExecExternalSemaphoresWaitNodeSetParams, nullptr, after_other_change);
  ON(cuGraphExecBatchMemOpNodeSetParams, nullptr, after_other_change);
  // Also if nothing is left to capture: the next launch waits for the end of one in parts.
  table.set(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, Watch::kAlways, before_graph_launch, after_graph_launch);
  table.set(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, Watch::kAlways, before_graph_launch_per_thread,
            after_graph_launch_per_thread);
}

#undef ON

}  // namespace kernloop::capture
