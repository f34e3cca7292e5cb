// Graphs of work, and launching them.
#pragma once

#include "cuda/fake/objects.h"
#include "cuda/fake/streams.h"

namespace kernloop::cuda::fake {

CUgraph create_graph(CUcontext context);
CUgraphNode add_node(CUgraph graph, Work work, std::vector<CUgraphNode> dependencies);
// What a captured stream is given, behind what it was given before.
CUresult add_captured_node(CUstream stream, Work work);
CUgraphExec instantiate(CUgraph graph);
CUresult launch_graph(CUgraphExec exec, CUstream stream);

}  // namespace kernloop::cuda::fake
