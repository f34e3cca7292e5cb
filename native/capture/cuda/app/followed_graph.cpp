#include "capture/cuda/app/followed_graph.h"

#include <algorithm>

namespace kernloop::capture {

using namespace cuda;

namespace {

std::vector<CUgraphNode> nodes_of(const Driver& driver, CUgraph graph) {
  size_t count = 0;
  if (driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return {};
  std::vector<CUgraphNode> nodes(count);
  if (count != 0 && driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return {};
  return nodes;
}

std::vector<CUgraphNode> dependencies_of(const Driver& driver, CUgraphNode node) {
  size_t count = 0;
  if (driver.cuGraphNodeGetDependencies(node, nullptr, nullptr, &count) != CUDA_SUCCESS || count == 0) return {};
  std::vector<CUgraphNode> before(count);
  // A graph with programmatic edges gives its dependencies only together with them.
  std::vector<CUgraphEdgeData> edges(count);
  if (driver.cuGraphNodeGetDependencies(node, before.data(), edges.data(), &count) != CUDA_SUCCESS) return {};
  return before;
}

CUgraphNodeType type_of(const Driver& driver, CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  driver.cuGraphNodeGetType(node, &type);
  return type;
}

bool read_kernel(const Driver& driver, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  *params = {};
  const bool read = driver.cuGraphKernelNodeGetParams(node, params) == CUDA_SUCCESS;
  params->kernelParams = params->extra = nullptr;  // valid only until the node is changed
  return read;
}

void add_kernels(const Driver& driver, CUgraph graph, std::vector<CUDA_KERNEL_NODE_PARAMS>* kernels);

void add_kernels_of(const Driver& driver, CUgraphNode node, CUgraphNodeType type,
                    std::vector<CUDA_KERNEL_NODE_PARAMS>* kernels) {
  CUDA_KERNEL_NODE_PARAMS params;
  CUgraph child = nullptr;
  if (type == CU_GRAPH_NODE_TYPE_KERNEL && read_kernel(driver, node, &params)) kernels->push_back(params);
  if (type == CU_GRAPH_NODE_TYPE_GRAPH && driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS)
    add_kernels(driver, child, kernels);
}

void add_kernels(const Driver& driver, CUgraph graph, std::vector<CUDA_KERNEL_NODE_PARAMS>* kernels) {
  for (CUgraphNode node : nodes_of(driver, graph)) add_kernels_of(driver, node, type_of(driver, node), kernels);
}

bool is_device_updatable(const Driver& driver, CUgraphNode node) {
  CUlaunchAttributeValue value = {};
  return driver.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) ==
             CUDA_SUCCESS &&
         value.deviceUpdatableKernelNode.deviceUpdatable != 0;
}

// The same nodes with the same edges, number by number.
bool is_alike(const std::vector<GraphNode>& one, const std::vector<GraphNode>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const GraphNode& a, const GraphNode& b) { return a.type == b.type && a.before == b.before; });
}

}  // namespace

FollowedGraph::FollowedGraph(const Driver& driver, CUgraph graph, uint64_t flags) : driver_(driver), flags_(flags) {
  take(graph);
}

FollowedGraph::~FollowedGraph() {
  if (copy_ != nullptr) driver_.cuGraphDestroy(copy_);
}

void FollowedGraph::lose(const std::string& why) {
  if (obstacle_.empty()) obstacle_ = why;
}

void FollowedGraph::take(CUgraph graph) {
  const CUresult copied = driver_.cuGraphClone(&copy_, graph);
  if (copied != CUDA_SUCCESS) copy_ = nullptr;
  const std::vector<CUgraphNode> originals = nodes_of(driver_, graph);
  numbers_.clear();
  for (CUgraphNode original : originals) numbers_.try_emplace(original, numbers_.size());
  nodes_.assign(originals.size(), {});
  for (size_t i = 0; i < originals.size(); ++i) {
    GraphNode& node = nodes_[i];
    node.type = type_of(driver_, originals[i]);
    for (CUgraphNode before : dependencies_of(driver_, originals[i])) node.before.push_back(numbers_.at(before));
    if (copy_ != nullptr && driver_.cuGraphNodeFindInClone(&node.copy, originals[i], copy_) != CUDA_SUCCESS) {
      node.copy = nullptr;
      lose("the driver does not find its nodes in a copy");
    }
    if (node.type == CU_GRAPH_NODE_TYPE_KERNEL) {
      if (!read_kernel(driver_, originals[i], &node.kernel)) lose("the driver does not tell the kernel of a node");
      if (is_device_updatable(driver_, originals[i])) lose("kernels on the GPU may change its nodes");
    } else {
      add_kernels_of(driver_, originals[i], node.type, &node.children);
    }
  }
  look_for_obstacles(copied);
  find_order();
}

void FollowedGraph::look_for_obstacles(CUresult copied) {
  const auto has = [this](CUgraphNodeType type) {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const GraphNode& node) { return node.type == type; });
  };
  if ((flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) lose("kernels on the GPU may launch it");
  if (has(CU_GRAPH_NODE_TYPE_MEM_ALLOC) || has(CU_GRAPH_NODE_TYPE_MEM_FREE))
    lose("it has nodes that allocate or free memory, of which the driver makes no copies");
  if (has(CU_GRAPH_NODE_TYPE_CONDITIONAL)) lose("it has conditional nodes, of which the driver makes no copies");
  if (copied != CUDA_SUCCESS) lose("the driver makes no copy of it: " + driver_.describe(copied));
}

// The node's parameters as they are now.
void FollowedGraph::read(GraphNode& node) {
  if (node.type == CU_GRAPH_NODE_TYPE_KERNEL && !read_kernel(driver_, node.copy, &node.kernel))
    lose("the driver does not tell the kernel of a node");
}

void FollowedGraph::find_order() {
  order_.clear();
  std::vector<bool> done(nodes_.size());
  // The order in which nodes were added is mostly valid already: one pass.
  for (size_t placed = 0; order_.size() < nodes_.size(); placed = order_.size()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto& before = nodes_[i].before;
      if (done[i] || !std::all_of(before.begin(), before.end(), [&](size_t other) { return done[other]; })) continue;
      done[i] = true;
      order_.push_back(i);
    }
    if (order_.size() == placed) return lose("its dependencies cannot be read");
  }
}

std::vector<bool> FollowedGraph::all_before(size_t number) const {
  std::vector<bool> found(nodes_.size());
  std::vector<size_t> open = nodes_[number].before;
  while (!open.empty()) {
    const size_t next = open.back();
    open.pop_back();
    if (found[next]) continue;
    found[next] = true;
    open.insert(open.end(), nodes_[next].before.begin(), nodes_[next].before.end());
  }
  return found;
}

// Uses our own list: the driver would read the program's node, which may be gone.
GraphNode* FollowedGraph::find(CUgraphNode original) {
  const auto known = numbers_.find(original);
  if (known != numbers_.end()) return &nodes_[known->second];
  lose(reordered_ ? "it was updated from a graph whose edges were made in another order, and then node by node"
                  : "it was changed by a node of another graph than the one that it was made from");
  return nullptr;
}

void FollowedGraph::enabled(CUgraphNode original, bool on) {
  if (GraphNode* const node = find(original)) node->enabled = on;
}

// The driver pairs the nodes of both graphs by their edges. Here they are paired by number, if the edges agree
// everywhere; otherwise only changes that name a node by the old graph are lost.
void FollowedGraph::updated_from(CUgraph graph) {
  const std::vector<GraphNode> old = std::move(nodes_);
  const auto old_numbers = std::move(numbers_);
  if (copy_ != nullptr) driver_.cuGraphDestroy(copy_);
  copy_ = nullptr;
  take(graph);
  if (is_alike(old, nodes_)) {
    for (size_t i = 0; i < old.size(); ++i) nodes_[i].enabled = old[i].enabled;
    numbers_ = old_numbers;
    return;
  }
  numbers_.clear();
  reordered_ = true;
  if (std::any_of(old.begin(), old.end(), [](const GraphNode& node) { return !node.enabled; }))
    lose("nodes of it were disabled, and then it was updated from a graph that was made in another order");
}

CUresult FollowedGraph::instantiate(const std::vector<bool>& kept, CUgraphExec* exec) const {
  CUgraph part = nullptr;
  CUresult result = driver_.cuGraphClone(&part, copy_);
  if (result != CUDA_SUCCESS) return result;
  std::vector<CUgraphNode> disabled;
  for (size_t i = 0; result == CUDA_SUCCESS && i < nodes_.size(); ++i) {
    CUgraphNode node = nullptr;
    result = driver_.cuGraphNodeFindInClone(&node, nodes_[i].copy, part);
    if (result != CUDA_SUCCESS) break;
    if (!kept[i]) {
      result = driver_.cuGraphDestroyNode(node);
    } else if (!nodes_[i].enabled) {
      disabled.push_back(node);
    }
  }
  if (result == CUDA_SUCCESS) {
    result = driver_.cuGraphInstantiateWithFlags(exec, part, flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    for (CUgraphNode node : disabled) {
      if (result == CUDA_SUCCESS) result = driver_.cuGraphNodeSetEnabled(*exec, node, 0);
    }
  }
  driver_.cuGraphDestroy(part);
  return result;
}

}  // namespace kernloop::capture
