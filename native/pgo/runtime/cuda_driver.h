// The driver as the library itself calls it.
#pragma once

#include "cuda/driver.h"

namespace kernloop::pgo::runtime {

// Null, which was reported, if there is none that is new enough: the app then runs as it compiled itself.
const kernloop::cuda::Driver* driver();

}  // namespace kernloop::pgo::runtime
