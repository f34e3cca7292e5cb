// Work of a graph's nodes, from their parameters.
#pragma once

#include "fakes/cuda/objects.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {

CUresult prepare_node(CUcontext context, const CUDA_KERNEL_NODE_PARAMS& params, KernelLaunch* launch);
Work memset_node(const CUDA_MEMSET_NODE_PARAMS& params);
Work memcpy_node(const CUDA_MEMCPY3D& params);
Work host_node(const CUDA_HOST_NODE_PARAMS& params);

// Another kernel, other arguments, another geometry for a kernel node.
CUresult set_launch(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params);
// …and for the other nodes, whose kind stays.
CUresult set_work(CUgraphNode node, Work work);

}  // namespace kernloop::cuda::fake
