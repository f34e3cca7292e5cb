// Graphs of work, and launching them.
#pragma once

#include "fakes/cuda/objects.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {

CUgraph create_graph(CUcontext context);
CUgraphNode add_node(CUgraph graph, Work work, std::vector<CUgraphNode> dependencies);
// Adds work to a captured stream, behind its earlier work.
CUresult add_captured_node(CUstream stream, Work work);
// With the graphs of its child nodes; not of memory nodes.
CUresult clone_graph(CUgraph graph, CUgraph* clone);
void remove_node(CUgraphNode node);
CUgraphExec instantiate(CUgraph graph);
// One graph with the other's work, node by node in the order in which they were added.
CUresult update_work(CUgraph to, CUgraph from);
CUresult launch_graph(CUgraphExec exec, CUstream stream);

}  // namespace kernloop::cuda::fake
