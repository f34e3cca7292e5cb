// Address ranges of the runtime's memory. They are fixed: addresses repeat from run to run and are free in a replay
// process (docs/contributing/seams.md).
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

struct Aperture {
  uint64_t base;
  uint64_t size;
  constexpr bool contains(uint64_t address) const { return address - base < size; }
};

inline constexpr uint64_t kTiB = uint64_t{1} << 40;
// A capture takes every value that looks like an address of an allocation for a pointer. Small integers, round floats
// and text must not look like one: no round bases (64 at an odd offset is 0x0000'4000'0000'0000), and none of the low
// offsets that zeros and half a float make.
inline constexpr Aperture kDeviceAperture{0x41b7'0010'0000, 6 * kTiB};
inline constexpr Aperture kHostAperture{0x48d3'0010'0000, 3 * kTiB};
inline constexpr Aperture kQueueAperture{0x4c00'0000'0000, kTiB};   // AQL rings: no program data
inline constexpr Aperture kSignalAperture{0x4d00'0000'0000, kTiB};  // amd_signal_t: no program data
inline constexpr Aperture kCodeAperture{0x5000'0000'0000, 4 * kTiB};

inline constexpr uint64_t kGranule = 4096;
inline constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t round_up(uint64_t value, uint64_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace kernloop::softgpu
