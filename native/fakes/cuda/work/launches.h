#pragma once

#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {

// Checks a launch as the driver does before it returns, and copies the data it needs.
CUresult prepare_launch(CUcontext context, CUfunction handle, const LaunchShape& shape, void** parameters, void** extra,
                        KernelLaunch* launch);

}  // namespace kernloop::cuda::fake
