#include "softgpu/engine/schedule/residency.h"

#include <algorithm>

namespace kernloop::softgpu {

uint64_t workgroups_at_once(const Residency& device, const KernelDescriptor& kernel, uint32_t waves_per_workgroup,
                            uint32_t lds_bytes) {
  const uint32_t rows = std::max(kernel.vgprs + kernel.agprs, 1u);
  const uint32_t bytes = rows * kernel.target.wave_size * 4;
  const uint32_t allotted = (bytes + device.register_granule - 1) / device.register_granule * device.register_granule;
  const uint32_t waves = device.simds_per_unit * std::min(device.waves_per_simd, device.register_bytes / allotted);
  uint32_t workgroups = waves / waves_per_workgroup;
  if (waves_per_workgroup > 1) workgroups = std::min(workgroups, device.barriers);
  if (lds_bytes > 0) workgroups = std::min(workgroups, device.lds_bytes / lds_bytes);
  // The app's GPU ran at least one workgroup.
  return uint64_t{device.units} * std::max(workgroups, 1u);
}

}  // namespace kernloop::softgpu
