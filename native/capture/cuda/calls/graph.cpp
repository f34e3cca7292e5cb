// Calls that capture streams into graphs, and add kernels to graphs.
#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

void after_begin_capture(const ApiCall& call) {
  if (call.succeeded()) call.agent.graphs.capture_began(call.params<cuStreamBeginCapture_v2_params>().hStream);
}
void after_begin_capture_per_thread(const ApiCall& call) {
  const CUstream stream = call.params<cuStreamBeginCapture_v2_params>().hStream;
  if (call.succeeded()) call.agent.graphs.capture_began(stream != nullptr ? stream : CU_STREAM_PER_THREAD);
}
// Also when it fails: a capture that was invalidated has ended.
void after_end_capture(const ApiCall& call) {
  call.agent.graphs.capture_ended(call.params<cuStreamEndCapture_params>().hStream);
}
void after_end_capture_per_thread(const ApiCall& call) {
  const CUstream stream = call.params<cuStreamEndCapture_params>().hStream;
  call.agent.graphs.capture_ended(stream != nullptr ? stream : CU_STREAM_PER_THREAD);
}
void before_stream_destroy(const ApiCall& call) {
  if (call.agent.graphs.any_captured())
    call.agent.graphs.capture_ended(call.params<cuStreamDestroy_v2_params>().hStream);
}

void add_node(const ApiCall& call, const CUDA_KERNEL_NODE_PARAMS& node) {
  const CUfunction handle = node.func != nullptr ? node.func : reinterpret_cast<CUfunction>(node.kern);
  if (const KernelEntry* kernel = call.agent.wanted_kernel(handle, call.thread)) call.agent.graphs.node_added(*kernel);
}
void after_add_kernel_node(const ApiCall& call) {
  if (call.succeeded()) add_node(call, *call.params<cuGraphAddKernelNode_v2_params>().nodeParams);
}
void after_add_node(const ApiCall& call) {
  const auto& p = call.params<cuGraphAddNode_v2_params>();
  if (call.succeeded() && p.nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL) add_node(call, p.nodeParams->kernel);
}
// The first form, of which the newer one is the older with a field more in its middle.
void after_add_node_v1(const ApiCall& call) {
  struct Params {
    CUgraphNode* phGraphNode;
    CUgraph hGraph;
    const CUgraphNode* dependencies;
    size_t numDependencies;
    CUgraphNodeParams* nodeParams;
  };
  const auto& p = call.params<Params>();
  if (call.succeeded() && p.nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL) add_node(call, p.nodeParams->kernel);
}

// A node may be given another kernel than it was made with.
void after_set_kernel_params(const ApiCall& call) {
  if (call.succeeded()) add_node(call, *call.params<cuGraphKernelNodeSetParams_v2_params>().nodeParams);
}
void after_set_params(const ApiCall& call) {
  struct Params {
    CUgraphNode hNode;
    CUgraphNodeParams* nodeParams;
  };
  const auto& p = call.params<Params>();
  if (call.succeeded() && p.nodeParams->type == CU_GRAPH_NODE_TYPE_KERNEL) add_node(call, p.nodeParams->kernel);
}

}  // namespace

#define ON(function, watch, before, after) table.set(CUPTI_DRIVER_TRACE_CBID_##function, watch, before, after)

void add_graph_calls(ApiTable& table) {
  ON(cuStreamBeginCapture, Watch::kAlways, nullptr, after_begin_capture);
  ON(cuStreamBeginCapture_v2, Watch::kAlways, nullptr, after_begin_capture);
  ON(cuStreamBeginCaptureToGraph, Watch::kAlways, nullptr, after_begin_capture);
  ON(cuStreamBeginCapture_ptsz, Watch::kAlways, nullptr, after_begin_capture_per_thread);
  ON(cuStreamBeginCapture_v2_ptsz, Watch::kAlways, nullptr, after_begin_capture_per_thread);
  ON(cuStreamBeginCaptureToGraph_ptsz, Watch::kAlways, nullptr, after_begin_capture_per_thread);
  ON(cuStreamEndCapture, Watch::kAlways, nullptr, after_end_capture);
  ON(cuStreamEndCapture_ptsz, Watch::kAlways, nullptr, after_end_capture_per_thread);
  ON(cuStreamDestroy_v2, Watch::kAlways, before_stream_destroy, nullptr);
  ON(cuGraphAddKernelNode, Watch::kAlways, nullptr, after_add_kernel_node);
  ON(cuGraphAddKernelNode_v2, Watch::kAlways, nullptr, after_add_kernel_node);
  ON(cuGraphAddNode, Watch::kAlways, nullptr, after_add_node_v1);
  ON(cuGraphAddNode_v2, Watch::kAlways, nullptr, after_add_node);
  ON(cuGraphKernelNodeSetParams, Watch::kArmed, nullptr, after_set_kernel_params);
  ON(cuGraphKernelNodeSetParams_v2, Watch::kArmed, nullptr, after_set_kernel_params);
  ON(cuGraphNodeSetParams, Watch::kArmed, nullptr, after_set_params);
}

#undef ON

}  // namespace kernloop::capture
