// Where things live. The ranges are fixed so that addresses repeat from run to run and are free in a replay process
// (docs/contributing/seams.md).
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

struct Aperture {
  uint64_t base;
  uint64_t size;
  constexpr bool contains(uint64_t address) const { return address - base < size; }
};

inline constexpr uint64_t kTiB = uint64_t{1} << 40;
// The first 64 KiB stay empty: floats around 2.0 (1.5f, 2.0f, 0.5f read at an odd offset is 0x0000'4000'0000'3fc0) look like addresses
// there, and a capture takes for reachable what looks reachable.
inline constexpr uint64_t kDeviceGuard = 0x1'0000;
inline constexpr Aperture kDeviceAperture{0x4000'0000'0000 + kDeviceGuard, 8 * kTiB - kDeviceGuard};
inline constexpr Aperture kHostAperture{0x4800'0000'0000, 4 * kTiB};
inline constexpr Aperture kQueueAperture{0x4c00'0000'0000, kTiB};   // AQL rings: no program data
inline constexpr Aperture kSignalAperture{0x4d00'0000'0000, kTiB};  // amd_signal_t: no program data
inline constexpr Aperture kCodeAperture{0x5000'0000'0000, 4 * kTiB};

inline constexpr uint64_t kGranule = 4096;
constexpr uint64_t round_up(uint64_t value, uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace kernloop::softgpu
