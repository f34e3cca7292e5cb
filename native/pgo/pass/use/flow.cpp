#include "pgo/pass/use/flow.h"

#include <algorithm>

namespace kernloop::pgo_pass {

namespace {

class FlowSolver {
 public:
  explicit FlowSolver(FlowGraph& graph) : graph_(graph), in_(graph.counts.size()), out_(graph.counts.size()) {
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      out_[graph.edges[i].from].push_back(i);
      in_[graph.edges[i].to].push_back(i);
    }
  }

  void run() {
    do {
      changed_ = false;
      share();
      for (size_t node = 0; node < graph_.counts.size(); ++node) {
        conserve(node, in_[node]);
        conserve(node, out_[node]);
      }
    } while (changed_);
  }

 private:
  void share() {
    std::vector<std::optional<uint64_t>> of(graph_.counts.size());
    for (size_t node = 0; node < of.size(); ++node)
      if (graph_.counts[node] && !of[graph_.together[node]]) of[graph_.together[node]] = graph_.counts[node];
    for (size_t node = 0; node < of.size(); ++node)
      if (!graph_.counts[node] && of[graph_.together[node]]) {
        graph_.counts[node] = of[graph_.together[node]];
        changed_ = true;
      }
  }

  void conserve(size_t node, const std::vector<size_t>& edges) {
    if (edges.empty()) return;
    uint64_t known = 0;
    size_t unknown = 0;
    FlowGraph::Edge* missing = nullptr;
    for (size_t i : edges) {
      auto& edge = graph_.edges[i];
      if (edge.count) {
        known += *edge.count;
      } else {
        ++unknown;
        missing = &edge;
      }
    }
    auto& count = graph_.counts[node];
    if (unknown == 0 && !count) {
      count = known;
      changed_ = true;
    } else if (unknown == 1 && count) {
      missing->count = *count - std::min(*count, known);
      changed_ = true;
    }
  }

  FlowGraph& graph_;
  std::vector<std::vector<size_t>> in_, out_;
  bool changed_ = false;
};

}  // namespace

void solve(FlowGraph& graph) {
  FlowSolver(graph).run();
}

}  // namespace kernloop::pgo_pass
