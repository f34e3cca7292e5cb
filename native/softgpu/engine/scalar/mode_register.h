// MODE as bits (ISA 3.4) and as the struct that instructions look at.
#pragma once

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

inline constexpr uint32_t kModeDx10Clamp = 1u << 8, kModeIeee = 1u << 9, kModeFp16Overflow = 1u << 23,
                          kModeIndexing = 1u << 27;

inline uint32_t mode_to_bits(const Mode& mode, bool indexing) {
  return uint32_t{mode.round_f32} | uint32_t{mode.round_f64_f16} << 2 | uint32_t{mode.denorm_f32} << 4 |
         uint32_t{mode.denorm_f64_f16} << 6 | (mode.dx10_clamp ? kModeDx10Clamp : 0) | (mode.ieee ? kModeIeee : 0) |
         (mode.fp16_overflow ? kModeFp16Overflow : 0) | (indexing ? kModeIndexing : 0);
}

inline Mode mode_from_bits(uint32_t bits) {
  Mode mode;
  mode.round_f32 = bits & 3;
  mode.round_f64_f16 = (bits >> 2) & 3;
  mode.denorm_f32 = (bits >> 4) & 3;
  mode.denorm_f64_f16 = (bits >> 6) & 3;
  mode.dx10_clamp = (bits & kModeDx10Clamp) != 0;
  mode.ieee = (bits & kModeIeee) != 0;
  mode.fp16_overflow = (bits & kModeFp16Overflow) != 0;
  return mode;
}

// Exceptions, debug, VSKIP and the like are not modelled.
inline bool is_supported_mode(uint32_t bits) {
  return (bits & ~(0xffu | kModeDx10Clamp | kModeIeee | kModeFp16Overflow | kModeIndexing)) == 0;
}

}  // namespace kernloop::softgpu
