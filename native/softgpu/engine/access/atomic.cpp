#include "softgpu/engine/access/atomic.h"

namespace kernloop::softgpu::atomic_detail {

namespace {

double half_to_double(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  double magnitude;
  if (exponent == 31) {
    magnitude = fraction ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return half >> 15 ? -magnitude : magnitude;
}

// Nearest even. The sum of two halves is exact in a double, so this is the only rounding.
uint16_t double_to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | 0x7c00;
  if (magnitude == 0) return sign;
  int exponent;
  std::frexp(magnitude, &exponent);               // magnitude = m * 2^exponent, m in [0.5, 1)
  const int unit = std::max(exponent - 11, -24);  // weight of the last bit
  const double scaled = std::nearbyint(std::ldexp(magnitude, -unit));
  double rounded = std::ldexp(scaled, unit);
  if (rounded >= 65536.0) return sign | 0x7c00;
  std::frexp(rounded, &exponent);
  if (rounded < std::ldexp(1.0, -14)) return sign | static_cast<uint16_t>(std::ldexp(rounded, 24));
  const auto fraction = static_cast<uint16_t>(std::ldexp(rounded, 11 - exponent));  // 1024..2047
  return sign | static_cast<uint16_t>(((exponent + 14) << 10) | (fraction & 1023));
}

bool is_nan(uint16_t half) {
  return (half & 0x7fff) > 0x7c00;
}

}  // namespace

uint16_t add_halves(uint16_t a, uint16_t b) {
  if (is_nan(a)) return a | 0x200;
  if (is_nan(b)) return b | 0x200;
  const double sum = half_to_double(a) + half_to_double(b);
  return std::isnan(sum) ? 0x7e00 : double_to_half(sum);
}

// As AMD's emulator (ROCm/rocm-systems#11447): to nearest even, denormals kept, a NaN keeps its payload. The sum as a
// float rounds first only where the smaller operand is too small to count.
uint16_t add_bfloats(uint16_t a, uint16_t b) {
  const auto is_nan = [](uint16_t bits) { return (bits & 0x7fff) > 0x7f80; };
  if (is_nan(a)) return a | 0x40;
  if (is_nan(b)) return b | 0x40;
  const float sum = as_float(uint32_t{a} << 16) + as_float(uint32_t{b} << 16);
  if (std::isnan(sum)) return 0x7fc0;
  const uint32_t bits = as_bits(sum);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace kernloop::softgpu::atomic_detail
