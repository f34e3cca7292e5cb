// Number of workgroups of a kernel that a device holds at once. A barrier over more of them never opens there.
#pragma once

#include <cstdint>
#include <string_view>

#include "softgpu/engine/code/kernel_descriptor.h"

namespace kernloop::softgpu {

struct Residency {
  std::string_view device;
  uint32_t units;  // a workgroup runs in one: compute units, on RDNA workgroup processors
  uint32_t simds_per_unit, waves_per_simd;
  uint32_t register_bytes;    // vector registers of a SIMD
  uint32_t register_granule;  // allocation unit of a wave, in bytes
  uint32_t lds_bytes;         // per unit
  uint32_t barriers;          // per unit; each workgroup of several waves takes one
};

// Follows LLVM's AMDGPUBaseInfo.cpp (getMaxWorkGroupsPerCU, getNumWavesPerEUWithNumVGPRs) and of HIP's occupancy
// (hipOccupancyMaxActiveBlocksPerMultiprocessor). Scalar registers and the granules of LDS are left out: never fewer
// than the device holds.
uint64_t workgroups_at_once(const Residency& device, const KernelDescriptor& kernel, uint32_t waves_per_workgroup,
                            uint32_t lds_bytes);

}  // namespace kernloop::softgpu
