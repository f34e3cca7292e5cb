// The kernel of a graph's node as a plain launch.
#pragma once

#include <vector>

#include "capture/cuda/launch/launch.h"

namespace kernloop::capture {

// Without arguments and attributes.
Launch read_node(const cuda::CUDA_KERNEL_NODE_PARAMS& node, cuda::CUstream stream);
// Attributes that were set and that change the kernel's result, or its requirements.
std::vector<cuda::CUlaunchAttribute> attributes_of_node(const cuda::Driver& driver, cuda::CUgraphNode node);
cuda::CUresult launch_alone(const cuda::Driver& driver, const Launch& launch, cuda::CUfunction function,
                            std::vector<cuda::CUlaunchAttribute> attributes);

}  // namespace kernloop::capture
