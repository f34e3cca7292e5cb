// Kinds of kernel faults by the driver's error codes.
#pragma once

#include <string>

#include "abi/cuda/driver.h"

namespace kernloop::replay {

// "memory_access", "misaligned_address", …; empty for an error that is no kernel's doing. After any of these the
// context is lost (cuda.h: "the process must be terminated and relaunched").
std::string fault_kind(cuda::CUresult result);

// Errors of the launch call itself that the kernel or its launch deserves: nothing ran.
bool is_refused_launch(cuda::CUresult result);

}  // namespace kernloop::replay
