#include "softgpu/engine/vector/float_rules.h"

#include <xmmintrin.h>

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

// The rounding bits of MXCSR for MODE's directions.
constexpr unsigned kDirections[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};

// Rounds sign * significand * 2^exponent (significand a 64-bit integer, not 0) to a format of `precision` bits whose
// least exponent (of the last place of denormals) is `least` and whose greatest finite value has last place
// 2^`greatest`. Returns the format's magnitude bits: significand with its exponent field, or one past the largest
// finite for overflow.
uint64_t round_magnitude(uint64_t significand, int exponent, bool negative, unsigned precision, int least, int greatest,
                         unsigned rounding) {
  const int top = 63 - __builtin_clzll(significand);
  int last = top + exponent - static_cast<int>(precision) + 1;  // weight of the result's last place
  if (last < least) last = least;
  const int shift = last - exponent;
  uint64_t kept = significand, half = 0;
  bool sticky = false;
  if (shift > 0) {
    kept = shift > 63 ? 0 : significand >> shift;
    half = shift > 64 ? 0 : (significand >> (shift - 1)) & 1;
    sticky = shift > 64 ? significand != 0 : (significand & ((1ull << (shift - 1)) - 1)) != 0;
  } else {
    kept = significand << -shift;
  }
  bool up = false;
  switch (rounding) {
    case 0:
      up = half && (sticky || (kept & 1));
      break;
    case 1:
      up = !negative && (half || sticky);
      break;
    case 2:
      up = negative && (half || sticky);
      break;
    default:
      break;
  }
  kept += up;
  if (kept >> precision) {
    kept >>= 1;
    ++last;
  }
  const uint64_t implicit = 1ull << (precision - 1);
  if (last > greatest) {
    const bool to_infinity = rounding == 0 || (rounding == 1 && !negative) || (rounding == 2 && negative);
    const uint64_t infinity = static_cast<uint64_t>(greatest - least + 2) << (precision - 1);
    return to_infinity ? infinity : infinity - 1;
  }
  return kept < implicit ? kept : (static_cast<uint64_t>(last - least) << (precision - 1)) + kept;
}

uint64_t narrow(double v, unsigned precision, int least, int greatest, unsigned rounding) {
  const uint64_t b = bits(v), magnitude = b & 0x7fffffffffffffffull;
  const bool negative = b >> 63;
  const unsigned field = static_cast<unsigned>(magnitude >> 52);
  const uint64_t fraction = magnitude & 0xfffffffffffffull;
  if (magnitude == 0) return 0;
  return round_magnitude(field ? fraction | (1ull << 52) : fraction, static_cast<int>(field ? field : 1) - 1075,
                         negative, precision, least, greatest, rounding);
}

}  // namespace

uint32_t round_to_half(double v, unsigned rounding) {
  const uint32_t sign = static_cast<uint32_t>(bits(v) >> 48) & 0x8000u;
  const uint64_t magnitude = bits(v) & 0x7fffffffffffffffull;
  if (magnitude > 0x7ff0000000000000ull) return sign | 0x7e00u | (static_cast<uint32_t>(magnitude >> 42) & 0x1ffu);
  if (magnitude == 0x7ff0000000000000ull) return sign | 0x7c00u;
  return sign | static_cast<uint32_t>(narrow(v, 11, -24, 5, rounding));
}

float round_to_float(double v, unsigned rounding) {
  const uint32_t sign = static_cast<uint32_t>(bits(v) >> 32) & 0x80000000u;
  const uint64_t magnitude = bits(v) & 0x7fffffffffffffffull;
  if (magnitude > 0x7ff0000000000000ull) {
    return as_float(sign | 0x7fc00000u | (static_cast<uint32_t>(magnitude >> 29) & 0x3fffffu));
  }
  if (magnitude == 0x7ff0000000000000ull) return as_float(sign | 0x7f800000u);
  return as_float(sign | static_cast<uint32_t>(narrow(v, 24, -149, 104, rounding)));
}

RoundingScope::RoundingScope(unsigned mode) : saved_(_mm_getcsr()) {
  _mm_setcsr((saved_ & ~static_cast<unsigned>(_MM_ROUND_MASK)) | kDirections[mode & 3]);
}
RoundingScope::~RoundingScope() {
  _mm_setcsr(saved_);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
