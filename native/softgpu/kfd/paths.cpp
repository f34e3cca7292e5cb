#include "softgpu/kfd/paths.h"

#include <dlfcn.h>

#include <string_view>
#include <utility>

#include "softgpu/kfd/driver.h"
#include "softgpu/kfd/kernel.h"

namespace kernloop::softgpu::kfd {
namespace {

// Beside this library, as softgpu_kfd_topology wrote it.
std::string folder() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&folder), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string_view library = info.dli_fname;
  const size_t slash = library.rfind('/');
  return std::string(slash == std::string_view::npos ? "." : library.substr(0, slash)) + "/" + target_name();
}

}  // namespace

std::optional<DeviceFile> device_at(const char* path) {
  if (path == nullptr) return std::nullopt;
  if (std::string_view(path) == "/dev/kfd") return DeviceFile::kKfd;
  if (std::string_view(path) == "/dev/dri/renderD128") return DeviceFile::kRender;
  return std::nullopt;
}

std::optional<std::string> stand_in(const char* path) {
  const std::pair<std::string_view, std::string_view> kFolders[] = {
      {"/sys/devices/virtual/kfd/kfd/topology", kernel().topology},
      {"/sys/class/kfd/kfd/topology", kernel().topology},
      {"/sys/dev/char/226:128", "/drm"},
      {"/sys/module/amdgpu", "/module"},
      {"/proc/modules", "/modules"},  // rocminfo before 6.0 looks there for the driver
  };
  if (path == nullptr) return std::nullopt;
  const std::string_view given = path;
  for (const auto& [prefix, place] : kFolders) {
    if (!given.starts_with(prefix)) continue;
    const std::string_view rest = given.substr(prefix.size());
    if (!rest.empty() && rest[0] != '/') continue;
    return folder() + std::string(place) + std::string(rest);
  }
  return std::nullopt;
}

}  // namespace kernloop::softgpu::kfd
