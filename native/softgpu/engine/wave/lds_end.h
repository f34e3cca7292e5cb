// The memory past the end of a workgroup's LDS, which hardware does not protect: it allocates whole granules, and the
// rest of the last one is memory like any other, unwritten. Behind it loads give 0 and stores are dropped (AMD, "Vega
// ISA", "LDS Access", out-of-range addresses; an access that reaches over the end counts as behind it). Every such
// access is reported: with other compilers, or other workgroups beside it, the values there differ.
#pragma once

#include <cstdint>

#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

// 128 dwords on gfx9, gfx10 and gfx11 alike (LLVM, AMDGPUUsage, GRANULATED_LDS_SIZE).
constexpr uint32_t kLdsGranuleBytes = 512;

constexpr uint32_t allocated_lds(uint32_t bytes) {
  return (bytes + kLdsGranuleBytes - 1) / kLdsGranuleBytes * kLdsGranuleBytes;
}

// Host memory behind the allocation, which absorbs lanes that go past it: 16 bytes each, for both addresses of an
// instruction that has two.
constexpr uint32_t kNowhereBytes = 16, kBehindLdsBytes = 2 * kLanes * kNowhereBytes;

constexpr uint32_t nowhere_of(const Workgroup& workgroup, unsigned address, unsigned lane) {
  return workgroup.lds_allocated + (address * kLanes + lane) * kNowhereBytes;
}

}  // namespace kernloop::softgpu
