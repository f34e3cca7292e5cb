// A CUDA device's description of itself, for its identity in the stages: `--describe-device cuda`.
#pragma once

#include "verdict/events.h"

namespace kernloop::replay {

// A `device` event.
Result<archive::Json> describe_cuda_device(uint32_t ordinal);

// "580.65.06" of the text of /proc/driver/nvidia/version; empty when it is not there.
std::string driver_version_in(const std::string& proc_text);

}  // namespace kernloop::replay
