// Fixed addresses that a gfx90a program can observe. Fixed, so that a dispatch repeats bit by bit.
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

// Flat addresses in these 4 GiB windows mean LDS and private memory (AMDGPUUsage "Address Spaces"; the values are Linux
// KFD's for GFX9). Programs read them as src_shared_base / src_private_base or through HW_REG_SH_MEM_BASES.
inline constexpr uint64_t kSharedApertureBase = uint64_t{1} << 48;
inline constexpr uint64_t kPrivateApertureBase = uint64_t{2} << 48;
inline constexpr uint64_t kApertureBytes = uint64_t{1} << 32;
inline constexpr uint64_t kSharedApertureLimit = kSharedApertureBase + kApertureBytes - 1;
inline constexpr uint64_t kPrivateApertureLimit = kPrivateApertureBase + kApertureBytes - 1;

// Apparent address of every wave's scratch backing memory. No such memory exists: accesses through FLAT_SCRATCH or
// through the private segment buffer are moved to the wave's own storage, and any other access there misses the address
// space.
inline constexpr uint64_t kScratchBackingBase = 0x6800'0000'0000;
// Not zero: a program (or an interpreter) that loses the private segment wave offset is caught.
inline constexpr uint32_t kScratchWaveOffset = 0x4000;
inline constexpr uint64_t kScratchWaveBase = kScratchBackingBase + kScratchWaveOffset;

}  // namespace kernloop::softgpu
