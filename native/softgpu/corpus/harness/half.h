// IEEE half precision on the host, through doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace kernloop::softgpu::corpus {

inline double from_half(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 0x3ff;
  const double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                           : exponent != 0 ? std::ldexp(1024 + fraction, exponent - 25)
                                           : std::ldexp(fraction, -24);
  return half & 0x8000 ? -magnitude : magnitude;
}

// Rounded once, to nearest even.
inline uint16_t to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 0x1p-30) return sign;
  const int exponent = std::max(std::ilogb(magnitude), -14);
  const int digits = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign | (((exponent + 14) << 10) + digits));
}

// Steps between two halves on the line of halves; many if one alone is no number.
inline int half_steps(uint16_t a, uint16_t b) {
  const auto place = [](uint16_t half) { return half & 0x8000 ? -(half & 0x7fff) : half & 0x7fff; };
  const bool a_nan = std::isnan(from_half(a)), b_nan = std::isnan(from_half(b));
  if (a_nan || b_nan) return a_nan && b_nan ? 0 : 0x10000;
  return std::abs(place(a) - place(b));
}

}  // namespace kernloop::softgpu::corpus
