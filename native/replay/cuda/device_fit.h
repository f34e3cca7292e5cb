// Whether machine code for one NVIDIA architecture runs on a device of another.
#pragma once

#include <string>

#include "base/result.h"

namespace kernloop::replay {

struct ComputeCapability {
  int major = 0, minor = 0;
  std::string isa() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

// `isa` is the captured device's, "sm_90". DEVICE_MISMATCH names both; the driver may still refuse a device that fits.
Status check_device_fits(const std::string& isa, const ComputeCapability& device, const std::string& device_name);

}  // namespace kernloop::replay
