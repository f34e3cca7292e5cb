// The emulated GPU as amdkfd describes it; hsa/device_model.h has the part shared with our own HSA runtime.
#pragma once

#include <cstdint>

#include "softgpu/hsa/device_model.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu::kfd {

struct GpuModel {
  const char* name;
  uint32_t gfx_target_version;  // in the topology: 90010 is gfx90a
  uint32_t compute_units, shader_engines, simds_per_cu, waves_per_simd, xcc_count;
  bool has_ecc;
};

inline constexpr GpuModel kGpuModels[std::size(kExecutedIsas)] = {
    {"gfx90a", 90010, 104, 8, 4, 8, 1, true},
    {"gfx1030", 100300, 60, 4, 2, 16, 1, false},
    {"gfx942", 90402, 304, 32, 4, 8, 8, true},
    {"gfx1100", 110000, 96, 6, 2, 16, 1, false},
};

inline const GpuModel& gpu_model(Isa isa) {
  return kGpuModels[static_cast<unsigned>(isa)];
}

constexpr uint32_t kGpuId = 0x90a1;
constexpr uint32_t kRenderMinor = 128;
constexpr uint64_t kVramBytes = uint64_t{16} << 30;
constexpr uint32_t kEngineClockMhz = 1700, kMemoryClockMhz = 1600, kVramBits = 4096;

}  // namespace kernloop::softgpu::kfd
