// Requirements of a launch on the driver, from the capture's record of it. Pure: no driver is asked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/cuda/driver.h"
#include "replay/core/device/device.h"

namespace kernloop::replay {

struct ContextLimit {
  cuda::CUlimit limit;
  uint64_t value = 0;
};

struct FunctionSetting {
  cuda::CUfunction_attribute attribute;
  int value = 0;
};

struct LaunchPlan {
  std::vector<ContextLimit> limits;       // before the code is loaded
  std::vector<FunctionSetting> settings;  // before the first launch
  std::vector<cuda::CUlaunchAttribute> attributes;
};

// `attributes` are geometry.attributes of the manifest. CAPTURE_UNSUPPORTED names one that this version does not know:
// a launch without it would be another launch.
Result<LaunchPlan> plan_launch(const std::map<std::string, uint64_t>& attributes, uint32_t dynamic_shared_bytes);

}  // namespace kernloop::replay
