// Whether machine code for one NVIDIA architecture runs on a device of another.
#pragma once

#include <string>

#include "support/result.h"

namespace kernloop::replay {

struct ComputeCapability {
  int major = 0, minor = 0;
  std::string isa() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

// `isa` is "sm_90", "sm_90a" or "sm_100f". Cubins run on their own major version and the same or a later minor one;
// those of an architecture-specific target ('a') on exactly that device (CUDA C++ Programming Guide, "Binary
// Compatibility"). Family targets ('f') are as plain ones here: the driver has the last word. DEVICE_MISMATCH.
Status check_device_fits(const std::string& isa, const ComputeCapability& device, const std::string& device_name);

}  // namespace kernloop::replay
