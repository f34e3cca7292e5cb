// Effect of an executable graph's launch, as far as it is known from outside: a copy of the graph that it was made
// from, with all changes that the executable graph has received since. The driver shows nothing of an executable graph
// itself, and the program may destroy the graph and its nodes.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/core/kernel_table.h"
#include "cuda/driver.h"

namespace kernloop::capture {

struct GraphNode {
  cuda::CUgraphNode copy = nullptr;  // in the copy; null if it has none
  cuda::CUgraphNodeType type = cuda::CU_GRAPH_NODE_TYPE_EMPTY;
  std::vector<size_t> before;  // its dependencies, by number
  bool enabled = true;
  cuda::CUDA_KERNEL_NODE_PARAMS kernel = {};            // for kernel nodes; without pointers to the arguments
  std::vector<cuda::CUDA_KERNEL_NODE_PARAMS> children;  // the kernels of a child graph, one after the other
};

class FollowedGraph {
 public:
  FollowedGraph(const cuda::Driver& driver, cuda::CUgraph graph, uint64_t flags);
  ~FollowedGraph();
  FollowedGraph(const FollowedGraph&) = delete;
  FollowedGraph& operator=(const FollowedGraph&) = delete;

  // Why a launch cannot be taken apart; empty: it can.
  const std::string& obstacle() const { return obstacle_; }
  // Something happened to the executable graph that the copy does not have.
  void lose(const std::string& why);

  // Nodes by number, in the order in which the program added them, and numbers in an order that dependencies allow.
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const std::vector<size_t>& order() const { return order_; }
  std::vector<bool> all_before(size_t number) const;

  // The executable graph got other parameters for a node, which the program names by its own graph's node. `change(node
  // of the copy)` applies the same to the copy.
  template <typename Change>
  void changed(cuda::CUgraphNode original, Change&& change) {
    GraphNode* const node = find(original);
    if (node == nullptr || node->copy == nullptr) return;
    if (change(node->copy) != cuda::CUDA_SUCCESS) lose("the driver refused to repeat a change of its parameters");
    read(*node);
  }
  void enabled(cuda::CUgraphNode original, bool on);
  // The executable graph was updated as a whole, from this graph.
  void updated_from(cuda::CUgraph graph);

  // Instantiates a part, to be launched alone: the nodes that `kept` names. Their other dependencies have run already.
  cuda::CUresult instantiate(const std::vector<bool>& kept, cuda::CUgraphExec* exec) const;

 private:
  void take(cuda::CUgraph graph);
  void read(GraphNode& node);
  void find_order();
  void look_for_obstacles(cuda::CUresult copied);
  GraphNode* find(cuda::CUgraphNode original);

  const cuda::Driver& driver_;
  const uint64_t flags_;
  cuda::CUgraph copy_ = nullptr;
  std::vector<GraphNode> nodes_;
  std::vector<size_t> order_;
  std::unordered_map<cuda::CUgraphNode, size_t> numbers_;  // the program's nodes
  bool reordered_ = false;  // after an update as a whole, the program's node names are ambiguous
  std::string obstacle_;
};

}  // namespace kernloop::capture
