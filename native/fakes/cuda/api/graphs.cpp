#include "fakes/cuda/work/graphs.h"

#include <algorithm>
#include <cstdlib>

#include "fakes/cuda/api.h"
#include "fakes/cuda/memory/memory.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/work/graph_work.h"

namespace kernloop::cuda::fake {
namespace {

CUresult add(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count, Work work) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (!alive(graph)) return CUDA_ERROR_INVALID_VALUE;
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

CUresult cuGraphClone(CUgraph* clone, CUgraph graph) {
  return alive(graph) ? clone_graph(graph, clone) : CUDA_ERROR_INVALID_VALUE;
}

// The real driver ends the process for a node that is gone.
CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode node, CUgraph clone) {
  if (!alive(node)) std::abort();
  if (!alive(clone) || clone->copies.count(node) == 0) return CUDA_ERROR_INVALID_VALUE;
  *found = clone->copies[node];
  return alive(*found) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  if (!alive(node)) return CUDA_ERROR_INVALID_VALUE;
  remove_node(node);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* params) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_KERNEL;
  work.launch.emplace();
  if (const CUresult error = prepare_node(now.context, *params, &*work.launch); error != CUDA_SUCCESS) return error;
  return add(node, graph, dependencies, count, std::move(work));
}

CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData*,
                        size_t count, CUgraphNodeParams* params) {
  if (params->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_NOT_SUPPORTED;
  return cuGraphAddKernelNode(node, graph, dependencies, count, &params->kernel);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
  return add(node, graph, dependencies, count, memset_node(*params));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_MEMCPY3D* params, CUcontext) {
  return add(node, graph, dependencies, count, memcpy_node(*params));
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS* params) {
  return add(node, graph, dependencies, count, host_node(*params));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                  CUgraph child) {
  if (!alive(child)) return CUDA_ERROR_INVALID_VALUE;
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_GRAPH;
  if (const CUresult error = clone_graph(child, &work.child); error != CUDA_SUCCESS) return error;
  return add(node, graph, dependencies, count, std::move(work));
}

// The memory has its address from now on, and is there for good.
CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  Allocation wanted;
  wanted.bytes = params->bytesize;
  wanted.kind = MemoryKind::Pool;
  wanted.device = now.context->device;
  wanted.context = now.context;
  if (const CUresult error = memory().allocate(wanted, &params->dptr); error != CUDA_SUCCESS) return error;
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  return add(node, graph, dependencies, count, std::move(work));
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

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* dependencies, CUgraphEdgeData* edges,
                                    size_t* count) {
  if (!alive(node)) return CUDA_ERROR_INVALID_VALUE;
  const size_t have = node->dependencies.size();
  if (dependencies != nullptr) std::copy_n(node->dependencies.begin(), std::min(*count, have), dependencies);
  if (edges != nullptr) std::fill_n(edges, std::min(*count, have), CUgraphEdgeData{});
  *count = have;
  return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  if (!alive(node) || node->child == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *graph = node->child;
  return CUDA_SUCCESS;
}

// The pointers are good until the node's parameters are set anew.
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  if (!alive(node) || node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  const LaunchShape& shape = node->launch.shape;
  const CUfunction function = node->launch.function;
  node->parameter_pointers.clear();
  for (const ImageParameter& parameter : function->kernel->parameters) {
    node->parameter_pointers.push_back(node->launch.parameters.data() + parameter.offset);
  }
  CUkernel kernel = nullptr;
  if (const CUlibrary library = function->module->library; library != nullptr) {
    const auto known = library->kernels.find(function->kernel->name);
    if (known != library->kernels.end()) kernel = known->second;
  }
  *params = {function,
             shape.grid[0],
             shape.grid[1],
             shape.grid[2],
             shape.block[0],
             shape.block[1],
             shape.block[2],
             shape.dynamic_shared_bytes,
             node->parameter_pointers.data(),
             nullptr,
             kernel,
             function->module->context};
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  return alive(node) ? set_launch(node, *params) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params) {
  return alive(node) ? set_work(node, memset_node(*params)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* params) {
  return alive(node) ? set_work(node, memcpy_node(*params)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params) {
  return alive(node) ? set_work(node, host_node(*params)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* params) {
  if (params->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_NOT_SUPPORTED;
  return cuGraphKernelNodeSetParams(node, &params->kernel);
}

// Attributes that were not set have the values that an H200 returned.
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue* value) {
  if (!alive(node) || node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  const LaunchShape& shape = node->launch.shape;
  const bool clustered = shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 1;
  *value = {};
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      value->cooperative = shape.cooperative ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      if (clustered) value->clusterDim = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      value->clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      value->deviceUpdatableKernelNode.deviceUpdatable = node->device_updatable ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue* value) {
  if (!alive(node) || node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      node->launch.shape.cooperative = value->cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      node->device_updatable = value->deviceUpdatableKernelNode.deviceUpdatable != 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace kernloop::cuda::fake
