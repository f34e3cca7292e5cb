// Floating-point rules of the GPU that differ from the host's, or that a compiler may not be left to choose:
// NaN results, denormal flushing, half precision, rounding modes.
#pragma once

#include <cstdint>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

// Everything a lane loop calls must be inlined into it, or the loop is not vectorised.
#define KERNLOOP_LANE [[gnu::always_inline]] inline
// Before a loop over the lanes of a group: none depends on another, and the loop is not to be unrolled before it is
// vectorised.
#ifdef __clang__
#define KERNLOOP_LANE_LOOP \
  _Pragma("clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(1) unroll(disable)")
#else
#define KERNLOOP_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

KERNLOOP_LANE float as_float(uint32_t v) {
  return __builtin_bit_cast(float, v);
}
KERNLOOP_LANE double as_double(uint64_t v) {
  return __builtin_bit_cast(double, v);
}
KERNLOOP_LANE uint32_t bits(float v) {
  return __builtin_bit_cast(uint32_t, v);
}
KERNLOOP_LANE uint64_t bits(double v) {
  return __builtin_bit_cast(uint64_t, v);
}

inline constexpr uint32_t kDefaultNan32 = 0x7fc00000u;
inline constexpr uint64_t kDefaultNan64 = 0x7ff8000000000000ull;

KERNLOOP_LANE bool is_nan(float v) {
  return v != v;
}
KERNLOOP_LANE bool is_nan(double v) {
  return v != v;
}
KERNLOOP_LANE bool is_signalling(float v) {
  return is_nan(v) & ((bits(v) & 0x00400000u) == 0);
}
KERNLOOP_LANE bool is_signalling(double v) {
  return is_nan(v) & ((bits(v) & 0x0008000000000000ull) == 0);
}
KERNLOOP_LANE float quiet(float v) {
  return as_float(bits(v) | 0x00400000u);
}
KERNLOOP_LANE double quiet(double v) {
  return as_double(bits(v) | 0x0008000000000000ull);
}

// c ? x : y in bits: nested conditional expressions become branches, which keep a loop from being vectorised.
KERNLOOP_LANE uint32_t choose(bool c, uint32_t x, uint32_t y) {
  return y ^ ((x ^ y) & (0u - static_cast<uint32_t>(c)));
}
KERNLOOP_LANE uint64_t choose(bool c, uint64_t x, uint64_t y) {
  return y ^ ((x ^ y) & (0ull - static_cast<uint64_t>(c)));
}
KERNLOOP_LANE float choose(bool c, float x, float y) {
  return as_float(choose(c, bits(x), bits(y)));
}
KERNLOOP_LANE double choose(bool c, double x, double y) {
  return as_double(choose(c, bits(x), bits(y)));
}

// Denormals to zeros of the same sign.
KERNLOOP_LANE float flush_denormal(float v) {
  const uint32_t b = bits(v);
  return as_float((b & 0x7f800000u) ? b : b & 0x80000000u);
}
KERNLOOP_LANE double flush_denormal(double v) {
  const uint64_t b = bits(v);
  return as_double((b & 0x7ff0000000000000ull) ? b : b & 0x8000000000000000ull);
}
// A half held in a float: denormal below 2^-14.
KERNLOOP_LANE float flush_half_denormal(float v) {
  const uint32_t b = bits(v);
  return as_float((b & 0x7fffffffu) < 0x38800000u ? b & 0x80000000u : b);
}

KERNLOOP_LANE uint32_t flush_half_bits(uint32_t h) {
  return (h & 0x7c00u) ? h : h & 0x8000u;
}

// The 8-bit formats of gfx942, fp8 with 3 bits of mantissa and bf8 with 2: neither infinities nor -0, whose code is
// NaN. The bias is one more than IEEE's would be.
template <unsigned kMantissa>
KERNLOOP_LANE float float8_to_float(uint32_t v) {
  constexpr uint32_t kBias = 1u << (6 - kMantissa), kMantissaBits = (1u << kMantissa) - 1;
  const uint32_t sign = (v & 0x80) << 24, exponent = (v & 0x7f) >> kMantissa, mantissa = v & kMantissaBits;
  const uint32_t normal = (exponent + 127 - kBias) << 23 | mantissa << (23 - kMantissa);
  // A denormal of 8 bits is a whole number of the smallest one.
  const float smallest = as_float((128u - kBias - kMantissa) << 23);
  const uint32_t denormal = bits(static_cast<float>(static_cast<int32_t>(mantissa)) * smallest);
  const uint32_t magnitude = exponent == 0 ? denormal : normal;
  return as_float(v == 0x80 ? 0x7fc00000u : sign | magnitude);
}

KERNLOOP_LANE float half_to_float(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  const uint32_t normal = (magnitude << 13) + (112u << 23);
  const uint32_t infinity_or_nan = (magnitude << 13) | 0x7f800000u;
  const uint32_t denormal = bits(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t finite = magnitude < 0x0400u ? denormal : normal;
  return as_float(sign | (magnitude >= 0x7c00u ? infinity_or_nan : finite));
}

// Nearest even. A NaN keeps the top of its payload and becomes quiet.
KERNLOOP_LANE uint32_t float_to_half(float v) {
  const uint32_t b = bits(v), sign = (b >> 16) & 0x8000u, magnitude = b & 0x7fffffffu;
  const uint32_t normal = (magnitude - (112u << 23) + 0x0fffu + ((magnitude >> 13) & 1)) >> 13;
  // Adding one half aligns the last bit of a half denormal with the float's.
  const uint32_t denormal = bits(as_float(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x1ffu);
  uint32_t r = magnitude < 0x38800000u ? denormal : normal;
  r = magnitude >= 0x477ff000u ? 0x7c00u : r;  // from 65520 on
  r = magnitude > 0x7f800000u ? nan : r;
  return sign | r;
}

// A float that rounds to the same half as `v` does: toward zero, with the last bit set when inexact (round to odd).
KERNLOOP_LANE float narrow_to_odd(double v) {
  const uint64_t b = bits(v), magnitude = b & 0x7fffffffffffffffull;
  const uint32_t sign = static_cast<uint32_t>(b >> 32) & 0x80000000u;
  const uint32_t sticky = (magnitude & 0x1fffffffull) != 0;
  const uint32_t normal = static_cast<uint32_t>((magnitude - (896ull << 52)) >> 29) | sticky;
  const uint32_t tiny = magnitude != 0;  // far below the half range: any positive float denormal will do
  uint32_t r = magnitude < 0x3810000000000000ull ? tiny : normal;
  r = magnitude >= 0x47f0000000000000ull ? 0x7f800000u : r;
  r = magnitude > 0x7ff0000000000000ull ? (0x7fc00000u | static_cast<uint32_t>((magnitude >> 29) & 0x3fffffu)) : r;
  return as_float(sign | r);
}
KERNLOOP_LANE uint32_t double_to_half(double v) {
  return float_to_half(narrow_to_odd(v));
}

// The fused a * b + c of halves, to be rounded to half. The product of halves is exact in float; the sum is rounded to
// odd, so that it rounds to half as the exact sum would. (Under a directed mode rounding twice in its direction is
// rounding once.)
KERNLOOP_LANE float fused_half(const Mode& mode, float a, float b, float c) {
  const float product = a * b, sum = product + c;
  const float back = sum - product, error = (product - (sum - back)) + (c - back);
  // 1 if inexact (but not if the sum is infinite or NaN), the last bit is even and rounding is to nearest.
  const uint32_t inexact = static_cast<uint32_t>(error > 0) | static_cast<uint32_t>(error < 0);
  const uint32_t adjust = inexact & ~bits(sum) & static_cast<uint32_t>(mode.round_f64_f16 == 0);
  const uint32_t away = (static_cast<uint32_t>(error > 0) ^ static_cast<uint32_t>(sum < 0)) * 2 - 1;  // 1 or -1
  return as_float(bits(sum) + ((0u - adjust) & away));
}

// Any rounding mode of MODE (0 nearest even, 1 toward +inf, 2 toward -inf, 3 toward zero). Scalar; for the slow loops.
uint32_t round_to_half(double v, unsigned rounding);
float round_to_float(double v, unsigned rounding);

KERNLOOP_LANE float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
KERNLOOP_LANE double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// Sets the host's rounding direction for a scope. The rounded arithmetic must be in a function that is not inlined into
// the scope: the compiler does not order arithmetic against the control register.
class RoundingScope {
 public:
  explicit RoundingScope(unsigned mode);
  ~RoundingScope();
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  unsigned saved_;
};

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
