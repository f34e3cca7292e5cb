// The files that a program finds in place of those of amdgpu under /dev and /sys.
#pragma once

#include <optional>
#include <string>

#include "softgpu/kfd/device_files.h"

namespace kernloop::softgpu::kfd {

std::optional<DeviceFile> device_at(const char* path);
// The file that stands for a path under /sys; nothing: the path is not the driver's.
std::optional<std::string> stand_in(const char* path);

}  // namespace kernloop::softgpu::kfd
