#include "cuda/fake/graphs.h"

#include <algorithm>

#include "cuda/fake/api.h"
#include "cuda/fake/launches.h"
#include "cuda/fake/process.h"

namespace kernloop::cuda::fake {
namespace {

CUresult prepare(CUcontext context, const CUDA_KERNEL_NODE_PARAMS& params, KernelLaunch* launch) {
  if ((params.func == nullptr) == (params.kern == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  const CUfunction handle = params.func != nullptr ? params.func : reinterpret_cast<CUfunction>(params.kern);
  const LaunchShape shape = {{params.gridDimX, params.gridDimY, params.gridDimZ},
                             {params.blockDimX, params.blockDimY, params.blockDimZ},
                             {0, 0, 0},
                             params.sharedMemBytes,
                             false};
  return prepare_launch(params.ctx != nullptr ? params.ctx : context, handle, shape, params.kernelParams, params.extra,
                        launch);
}

CUresult set_params(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  if (node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  KernelLaunch launch;
  const CUresult error = prepare(node->graph->context, *params, &launch);
  if (error == CUDA_SUCCESS) node->launch = std::move(launch);
  return error;
}

CUresult add_kernel_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                         const CUDA_KERNEL_NODE_PARAMS* params) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (!alive(graph)) return CUDA_ERROR_INVALID_VALUE;
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_KERNEL;
  work.launch.emplace();
  if (const CUresult error = prepare(now.context, *params, &*work.launch); error != CUDA_SUCCESS) return error;
  *node = add_node(graph, std::move(work), {dependencies, dependencies + count});
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned int) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  *graph = create_graph(now.context);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  if (!Live<CUgraph>::of().remove(graph)) return CUDA_ERROR_INVALID_VALUE;
  for (const CUgraphNode node : graph->nodes) Live<CUgraphNode>::of().remove(node);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  if (!alive(graph)) return CUDA_ERROR_INVALID_VALUE;
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

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* params) {
  return add_kernel_node(node, graph, dependencies, count, params);
}

CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData*,
                        size_t count, CUgraphNodeParams* params) {
  if (params->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_NOT_SUPPORTED;
  return add_kernel_node(node, graph, dependencies, count, &params->kernel);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, CUDA_MEM_ALLOC_NODE_PARAMS*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  if (!alive(graph)) return CUDA_ERROR_INVALID_VALUE;
  const size_t have = graph->nodes.size();
  if (nodes != nullptr) std::copy_n(graph->nodes.begin(), std::min(*count, have), nodes);
  *count = have;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  if (!alive(node)) return CUDA_ERROR_INVALID_VALUE;
  *type = node->type;
  return CUDA_SUCCESS;
}

// The pointers are good until the node's parameters are set anew.
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  if (!alive(node) || node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  const LaunchShape& shape = node->launch.shape;
  node->parameter_pointers.clear();
  for (const ImageParameter& parameter : node->launch.function->kernel->parameters) {
    node->parameter_pointers.push_back(node->launch.parameters.data() + parameter.offset);
  }
  *params = {node->launch.function,
             shape.grid[0],
             shape.grid[1],
             shape.grid[2],
             shape.block[0],
             shape.block[1],
             shape.block[2],
             shape.dynamic_shared_bytes,
             node->parameter_pointers.data(),
             nullptr,
             nullptr,
             node->graph->context};
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  return alive(node) ? set_params(node, params) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  if (!alive(exec) || exec->copies.count(node) == 0) return CUDA_ERROR_INVALID_VALUE;
  return set_params(exec->copies[node], params);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  if (!alive(exec) || !alive(graph)) return CUDA_ERROR_INVALID_VALUE;
  *info = {};
  if (exec->graph->nodes.size() != graph->nodes.size()) {
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    exec->graph->nodes[i]->launch = graph->nodes[i]->launch;
    exec->graph->nodes[i]->work = graph->nodes[i]->work;
  }
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
