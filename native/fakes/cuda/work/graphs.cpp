#include "fakes/cuda/work/graphs.h"

#include <algorithm>
#include <set>

#include "fakes/cuda/api_call.h"
#include "fakes/cuda/callbacks.h"
#include "fakes/cuda/work/execution.h"

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

CUgraph new_graph(CUcontext context) {
  static std::atomic<uint32_t> next_id{1};
  auto* const graph = new CUgraph_st;
  graph->id = next_id++;
  graph->context = context;
  return graph;
}

CUgraph copy_of(CUgraph from, std::map<CUgraphNode, CUgraphNode>* copies) {
  const CUgraph graph = new_graph(from->context);
  for (const CUgraphNode original : from->nodes) {
    auto* const node = new CUgraphNode_st(*original);
    node->graph = graph;
    if (original->child != nullptr) {
      std::map<CUgraphNode, CUgraphNode> within;
      node->child = copy_of(original->child, &within);
      Live<CUgraph>::of().add(node->child);
    }
    graph->nodes.push_back(node);
    (*copies)[original] = Live<CUgraphNode>::of().add(node);
  }
  // A node may precede one that an edge to it comes from.
  for (const CUgraphNode node : graph->nodes) {
    for (CUgraphNode& dependency : node->dependencies) dependency = copies->at(dependency);
  }
  return graph;
}

// Picks the allowed order that is least like the order in which nodes were added.
std::vector<CUgraphNode> order_of(const CUgraph_st& graph) {
  std::vector<CUgraphNode> order;
  std::set<CUgraphNode> done;
  const auto is_ready = [&](CUgraphNode node) {
    return !done.contains(node) && std::all_of(node->dependencies.begin(), node->dependencies.end(),
                                               [&](CUgraphNode before) { return done.contains(before); });
  };
  while (order.size() < graph.nodes.size()) {
    const auto next = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), is_ready);
    order.push_back(*next);
    done.insert(*next);
  }
  return order;
}

void add_works(const CUgraph_st& graph, CUstream stream, std::vector<Work>* works) {
  for (const CUgraphNode node : order_of(graph)) {
    if (!node->enabled) continue;
    if (node->child != nullptr) {
      add_works(*node->child, stream, works);
      continue;
    }
    Work work;
    work.type = node->type;
    work.run = node->work;
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL) {
      work.launch = node->launch;
      work.launch->graph_node_id = node->id;
      work.launch->stream_id = stream->id;
      work.launch->correlation = current_correlation();
    }
    works->push_back(std::move(work));
  }
}

}  // namespace

CUgraph create_graph(CUcontext context) {
  const CUgraph graph = Live<CUgraph>::of().add(new_graph(context));
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
  node->child = work.child;
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

CUresult clone_graph(CUgraph graph, CUgraph* clone) {
  for (const CUgraphNode node : graph->nodes) {
    if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  std::map<CUgraphNode, CUgraphNode> copies;
  *clone = Live<CUgraph>::of().add(copy_of(graph, &copies));
  (*clone)->copies = std::move(copies);
  return CUDA_SUCCESS;
}

void remove_node(CUgraphNode node) {
  Live<CUgraphNode>::of().remove(node);
  std::erase(node->graph->nodes, node);
  for (const CUgraphNode other : node->graph->nodes) std::erase(other->dependencies, node);
}

CUgraphExec instantiate(CUgraph graph) {
  auto* const exec = new CUgraphExec_st;
  exec->graph = copy_of(graph, &exec->copies);
  Live<CUgraphExec>::of().add(exec);
  report(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, graph->context, graph, nullptr, exec);
  return exec;
}

CUresult update_work(CUgraph to, CUgraph from) {
  if (to->nodes.size() != from->nodes.size()) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (size_t i = 0; i < from->nodes.size(); ++i) {
    if (to->nodes[i]->type != from->nodes[i]->type) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  for (size_t i = 0; i < from->nodes.size(); ++i) {
    to->nodes[i]->launch = from->nodes[i]->launch;
    to->nodes[i]->work = from->nodes[i]->work;
    if (to->nodes[i]->child != nullptr) update_work(to->nodes[i]->child, from->nodes[i]->child);
  }
  return CUDA_SUCCESS;
}

// The nodes run one by one.
CUresult launch_graph(CUgraphExec exec, CUstream stream) {
  std::vector<Work> works;
  add_works(*exec->graph, stream, &works);
  const CUcontext context = stream->context;
  const std::lock_guard lock(exec->mutex);
  std::vector<OperationPtr> before;
  if (exec->last != nullptr) before.push_back(exec->last);
  exec->last = enqueue(
      stream,
      [context, works = std::move(works)] {
        for (const Work& work : works) perform(context, work);
      },
      std::move(before));
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
