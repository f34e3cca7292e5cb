// Whether the driver would refuse a launch of a loaded function: by its own numbers, before anything is launched.
// Beyond the code object's limits (core/launch_check.h) these include the device's: registers, shared memory, number of
// resident blocks.
#pragma once

#include <string>

#include "replay/core/device/device.h"
#include "replay/cuda/context.h"

namespace kernloop::replay {

// Empty if no obstacle is known.

// Before the captured attributes are set, some of which may be impossible with `kernel` in place of `captured`.
std::string why_too_large(const Context& context, cuda::CUfunction function, const codeobject::Kernel& kernel,
                          const codeobject::Kernel& captured, const Launch& launch);

// After they are set: everything that must be on the device at the same time, a block, a cluster or a cooperative grid,
// must fit.
std::string why_not_resident(const Context& context, cuda::CUfunction function, const Launch& launch,
                             const cuda::CUlaunchConfig& config);

}  // namespace kernloop::replay
