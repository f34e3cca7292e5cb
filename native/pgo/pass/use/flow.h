// Counts of a control flow graph from the counts of some of its blocks: what goes into a block comes out of it. Holds
// for lanes in IR, and for waves in AMDGPU's machine code, where divergent control flow has become branches that a wave
// takes or does not take (both sides of a divergent `if` follow each other there). It does not hold for waves in IR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kernloop::pgo_pass {

struct FlowGraph {
  struct Edge {
    size_t from, to;
    std::optional<uint64_t> count;
  };
  // The number of blocks; entries and exits must be joined by edges from and to one more node of the caller's.
  explicit FlowGraph(size_t nodes) : counts(nodes), together(nodes) {
    for (size_t i = 0; i < nodes; ++i) together[i] = i;
  }
  void add_edge(size_t from, size_t to) { edges.push_back({from, to, std::nullopt}); }

  std::vector<std::optional<uint64_t>> counts;
  std::vector<Edge> edges;
  // Nodes with the same number here are executed equally often.
  std::vector<size_t> together;
};

// Fills in the counts that follow from the known ones, which stay as they are. Measured counts may contradict each
// other (sampling, code that was copied): negative results become 0.
void solve(FlowGraph& graph);

}  // namespace kernloop::pgo_pass
