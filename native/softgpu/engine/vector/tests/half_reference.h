// Half precision by table: every finite half as a double, in order. Independent of the engine's rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace kernloop::softgpu::vector {

inline double half_value(uint32_t h) {
  const int exponent = static_cast<int>((h >> 10) & 31);
  const double fraction = h & 0x3ff;
  const double magnitude = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                           : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                          : std::ldexp(fraction, -24);
  return h & 0x8000 ? -magnitude : magnitude;
}

// The half that `v` rounds to; `v` exact, no NaN. Mode: 0 nearest even, 1 up, 2 down, 3 toward zero.
inline uint32_t half_of(__float128 v, unsigned mode = 0) {
  const bool negative = v < 0 || (v == 0 && std::signbit(static_cast<double>(v)));
  const __float128 magnitude = negative ? -v : v;
  const uint32_t sign = negative ? 0x8000 : 0;
  uint32_t low = 0, high = 0x7c00;  // low <= magnitude < high, in the order of magnitudes; infinity counts as 65536
  const auto value = [](uint32_t h) { return h == 0x7c00 ? __float128{65536} : __float128{half_value(h)}; };
  if (magnitude > 0 && magnitude + magnitude == magnitude) return sign | 0x7c00;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (value(middle) <= magnitude ? low : high) = middle;
  }
  if (value(low) == magnitude) return sign | low;
  bool up = false;
  if (mode == 0) {
    const __float128 below = magnitude - value(low), above = value(high) - magnitude;
    up = below > above || (below == above && (low & 1));
  } else {
    up = mode == (negative ? 2u : 1u);
  }
  return sign | (up ? high : low);
}

}  // namespace kernloop::softgpu::vector
