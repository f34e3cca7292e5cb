#include "cuda/fake/graphs.h"

#include "cuda/fake/api_call.h"
#include "cuda/fake/callbacks.h"
#include "cuda/fake/execution.h"

namespace kernloop::cuda::fake {
namespace {

void report(CUpti_CallbackIdResource id, CUcontext context, CUgraph graph, CUgraphNode node, CUgraphExec exec) {
  CUpti_GraphData data = {};
  data.graph = graph;
  data.node = node;
  if (node != nullptr) data.nodeType = node->type;
  data.graphExec = exec;
  callbacks().resource(id, context, nullptr, &data);
}

CUgraphNode copy_node(CUgraph graph, const CUgraphNode_st& from, const std::map<CUgraphNode, CUgraphNode>& copies) {
  auto* const node = new CUgraphNode_st(from);
  node->graph = graph;
  for (CUgraphNode& dependency : node->dependencies) dependency = copies.at(dependency);
  graph->nodes.push_back(node);
  return Live<CUgraphNode>::of().add(node);
}

}  // namespace

CUgraph create_graph(CUcontext context) {
  static std::atomic<uint32_t> next_id{1};
  auto* const graph = new CUgraph_st;
  graph->id = next_id++;
  graph->context = context;
  Live<CUgraph>::of().add(graph);
  report(CUPTI_CBID_RESOURCE_GRAPH_CREATED, context, graph, nullptr, nullptr);
  return graph;
}

CUgraphNode add_node(CUgraph graph, Work work, std::vector<CUgraphNode> dependencies) {
  static std::atomic<uint64_t> next_id{1};
  auto* const node = new CUgraphNode_st;
  node->id = (uint64_t{graph->id} << 32) + next_id++;
  node->graph = graph;
  node->type = work.type;
  if (work.launch) node->launch = std::move(*work.launch);
  node->work = std::move(work.run);
  node->dependencies = std::move(dependencies);
  graph->nodes.push_back(node);
  Live<CUgraphNode>::of().add(node);
  report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, graph->context, graph, node, nullptr);
  return node;
}

CUresult add_captured_node(CUstream stream, Work work) {
  const auto capture = stream->capture;
  if (capture->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  stream->capture_tail = {add_node(capture->graph, std::move(work), stream->capture_tail)};
  return CUDA_SUCCESS;
}

CUgraphExec instantiate(CUgraph graph) {
  auto* const exec = new CUgraphExec_st;
  exec->graph = new CUgraph_st;
  exec->graph->id = graph->id;
  exec->graph->context = graph->context;
  for (const CUgraphNode node : graph->nodes) exec->copies[node] = copy_node(exec->graph, *node, exec->copies);
  Live<CUgraphExec>::of().add(exec);
  report(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, graph->context, graph, nullptr, exec);
  return exec;
}

// The nodes run one by one in the order in which they were added: one of the orders that their dependencies allow.
CUresult launch_graph(CUgraphExec exec, CUstream stream) {
  std::vector<Work> works;
  for (const CUgraphNode node : exec->graph->nodes) {
    Work work;
    work.type = node->type;
    work.run = node->work;
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL) {
      work.launch = node->launch;
      work.launch->graph_node_id = node->id;
      work.launch->stream_id = stream->id;
      work.launch->correlation = current_correlation();
    }
    works.push_back(std::move(work));
  }
  const CUcontext context = stream->context;
  enqueue(stream, [context, works = std::move(works)] {
    for (const Work& work : works) perform(context, work);
  });
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
