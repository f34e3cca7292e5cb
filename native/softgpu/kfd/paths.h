// The files that replace those of amdgpu under /dev and /sys for a program.
#pragma once

#include <optional>
#include <string>

#include "softgpu/kfd/device_files.h"

namespace kernloop::softgpu::kfd {

std::optional<DeviceFile> device_at(const char* path);
// Replacement of a path under /sys; none if the path is not the driver's.
std::optional<std::string> stand_in(const char* path);

}  // namespace kernloop::softgpu::kfd
