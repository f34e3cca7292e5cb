// Limits that the kernel itself holds for each process.
#pragma once

#include "base/result.h"
#include "sandbox/options.h"

namespace kernloop::sandbox {

Status set_limits(const Limits& limits);

}  // namespace kernloop::sandbox
