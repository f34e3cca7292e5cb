// Properties that the agent reports, for each target of the software GPU.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "softgpu/engine/schedule/residency.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

struct DeviceModel {
  struct Cache {
    const char* name;
    uint8_t level;
    uint32_t bytes;
  };
  std::string_view isa_name;  // with the features that the device has
  uint32_t wavefront_size;    // default of kernels
  uint32_t chip_id;
  uint32_t family_id;  // AMDGPU_FAMILY_… of the kernel's amdgpu_drm.h
  std::array<Cache, 2> caches;
  Residency residency;  // the real device's; hsa_agent_get_info reports fewer compute units, as many as suit a host
};

// The chip ids are those of an MI210, of a Radeon RX 6800, of an MI300X and of a Radeon RX 7900 XTX. Compute units come
// from AMD's product pages (104, 60, 304, 96); waves, registers and LDS from LLVM's AMDGPUBaseInfo.cpp
// (getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule, getMaxWorkGroupsPerCU) and from ROCm's table of accelerator
// specifications.
inline constexpr DeviceModel kDeviceModels[std::size(kExecutedIsas)] = {
    {"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
     64,
     0x740f,
     141,
     {{{"gfx90a L1", 1, 16 * 1024}, {"gfx90a L2", 2, 8 * 1024 * 1024}}},
     {"MI210", 104, 4, 8, 512 * 64 * 4, 8 * 64 * 4, 64 * 1024, 16}},
    {"amdgcn-amd-amdhsa--gfx1030",
     32,
     0x73bf,
     143,
     {{{"gfx1030 L1", 1, 16 * 1024}, {"gfx1030 L2", 2, 4 * 1024 * 1024}}},
     {"RX 6800", 30, 4, 16, 1024 * 32 * 4, 16 * 32 * 4, 128 * 1024, 32}},
    {"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-",
     64,
     0x74a1,
     141,
     {{{"gfx942 L1", 1, 32 * 1024}, {"gfx942 L2", 2, 4 * 1024 * 1024}}},
     {"MI300X", 304, 4, 8, 512 * 64 * 4, 8 * 64 * 4, 64 * 1024, 16}},
    {"amdgcn-amd-amdhsa--gfx1100",
     32,
     0x744c,
     145,
     {{{"gfx1100 L1", 1, 32 * 1024}, {"gfx1100 L2", 2, 6 * 1024 * 1024}}},
     {"RX 7900 XTX", 48, 4, 16, 1536 * 32 * 4, 24 * 32 * 4, 128 * 1024, 32}},
};

inline const DeviceModel& device_model(Isa isa) {
  return kDeviceModels[static_cast<unsigned>(isa)];
}

}  // namespace kernloop::softgpu
