// Whether the driver would refuse a launch of a loaded function: in its own numbers, before anything is launched.
// Beyond what the code object says (core/launch_check.h) these know the device: registers, shared memory, how many
// blocks are resident at a time.
#pragma once

#include <string>

#include "replay/core/device.h"
#include "replay/cuda/context.h"

namespace kernloop::replay {

// Empty if no obstacle is known.

// Before the captured attributes are set, some of which may be impossible with `kernel` in place of `captured`.
std::string why_too_large(const Context& context, cuda::CUfunction function, const codeobject::Kernel& kernel,
                          const codeobject::Kernel& captured, const Launch& launch);

// Once they are: what has to be on the device at the same time, a block, a cluster or a cooperative grid, must fit.
std::string why_not_resident(const Context& context, cuda::CUfunction function, const Launch& launch,
                             const cuda::CUlaunchConfig& config);

}  // namespace kernloop::replay
