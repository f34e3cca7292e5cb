// Executable graphs. Their nodes are named by those of the graph that they were made from.
#include "fakes/cuda/api.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/work/graph_work.h"
#include "fakes/cuda/work/graphs.h"

namespace kernloop::cuda::fake {
namespace {

CUgraphNode node_of(CUgraphExec exec, CUgraphNode original) {
  if (!alive(exec)) return nullptr;
  const auto known = exec->copies.find(original);
  return known != exec->copies.end() ? known->second : nullptr;
}

}  // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  if (!alive(graph)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_unsafe_call(); error != CUDA_SUCCESS) return error;
  *exec = instantiate(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return cuGraphInstantiateWithFlags(exec, graph, params->flags);
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return Live<CUgraphExec>::of().remove(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const CUstream stream = resolve_stream(now.context, handle);
  if (stream == nullptr || !alive(exec)) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return launch_graph(exec, stream);
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream) {
  return alive(exec) ? here().error : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode original, unsigned int enabled) {
  const CUgraphNode node = node_of(exec, original);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (node->type > CU_GRAPH_NODE_TYPE_MEMSET) return CUDA_ERROR_NOT_SUPPORTED;
  node->enabled = enabled != 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode original, const CUDA_KERNEL_NODE_PARAMS* params) {
  const CUgraphNode node = node_of(exec, original);
  return node != nullptr ? set_launch(node, *params) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode original, const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext) {
  const CUgraphNode node = node_of(exec, original);
  return node != nullptr ? set_work(node, memset_node(*params)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode original, const CUDA_MEMCPY3D* params,
                                        CUcontext) {
  const CUgraphNode node = node_of(exec, original);
  return node != nullptr ? set_work(node, memcpy_node(*params)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode original, const CUDA_HOST_NODE_PARAMS* params) {
  const CUgraphNode node = node_of(exec, original);
  return node != nullptr ? set_work(node, host_node(*params)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode original, CUgraphNodeParams* params) {
  if (params->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_NOT_SUPPORTED;
  return cuGraphExecKernelNodeSetParams(exec, original, &params->kernel);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode original, CUgraph child) {
  const CUgraphNode node = node_of(exec, original);
  if (node == nullptr || node->child == nullptr || !alive(child)) return CUDA_ERROR_INVALID_VALUE;
  return update_work(node->child, child) == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  if (!alive(exec) || !alive(graph)) return CUDA_ERROR_INVALID_VALUE;
  *info = {};
  const CUresult result = update_work(exec->graph, graph);
  if (result != CUDA_SUCCESS) info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  return result;
}

}  // namespace kernloop::cuda::fake
