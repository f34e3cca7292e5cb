// Double-precision arithmetic.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

KERNLOOP_LANE double abs(double v) {
  return as_double(bits(v) & 0x7fffffffffffffffull);
}
KERNLOOP_LANE double power_of_two(int n) {
  return as_double(static_cast<uint64_t>(n + 1023) << 52);
}

// a * 2^n, rounded once: a step down leaves 53 bits in hand before the last, so that only the last can round to a
// denormal.
KERNLOOP_LANE double scale(double a, int32_t n) {
  if (n > 1023) {
    a *= power_of_two(1023);
    n -= 1023;
    if (n > 1023) {
      a *= power_of_two(1023);
      n = n - 1023 > 1023 ? 1023 : n - 1023;
    }
  } else if (n < -1022) {
    a *= power_of_two(-969);
    n += 969;
    if (n < -1022) {
      a *= power_of_two(-969);
      n = n + 969 < -1022 ? -1022 : n + 969;
    }
  }
  return a * power_of_two(n);
}

constexpr Row kRows[] = {
    row<Op::v_add_f64, F64(F64, F64)>([](double a, double b) { return a + b; }),
    row<Op::v_mul_f64, F64(F64, F64)>([](double a, double b) { return a * b; }),
    row<Op::v_fma_f64, F64(F64, F64, F64)>([](double a, double b, double c) { return fused(a, b, c); }),
    row<Op::v_fmac_f64, F64(F64, F64, F64), kAccumulate>([](double a, double b, double c) { return fused(a, b, c); }),
    row<Op::v_trunc_f64, F64(F64)>([](double a) { return __builtin_trunc(a); }),
    row<Op::v_ceil_f64, F64(F64)>([](double a) { return __builtin_ceil(a); }),
    row<Op::v_floor_f64, F64(F64)>([](double a) { return __builtin_floor(a); }),
    row<Op::v_rndne_f64, F64(F64), kIgnoreRounding>([](double a) { return __builtin_rint(a); }),
    row<Op::v_fract_f64, F64(F64)>([](double a) {
      const double f = a - __builtin_floor(a);
      return f >= 1.0 ? as_double(0x3fefffffffffffffull) : f;
    }),
    row<Op::v_ldexp_f64, F64(F64, I32)>([](double a, int32_t n) { return scale(a, n); }),
    row<Op::v_frexp_mant_f64, F64(F64), kKeepDenormals>([](double a) {
      const double magnitude = abs(a);
      if (!(magnitude < as_double(0x7ff0000000000000ull)) || magnitude == 0) return a;
      const double normal = magnitude < 0x1p-1022 ? a * 0x1p64 : a;
      return as_double((bits(normal) & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
    }),
    row<Op::v_frexp_exp_i32_f64, I32(F64), kKeepDenormals>([](double a) {
      const double magnitude = abs(a);
      if (!(magnitude < as_double(0x7ff0000000000000ull)) || magnitude == 0) return 0;
      const bool denormal = magnitude < 0x1p-1022;
      const double normal = denormal ? magnitude * 0x1p64 : magnitude;
      return static_cast<int32_t>(bits(normal) >> 52) - 1022 - (denormal ? 64 : 0);
    }),
};

}  // namespace

RowTable float64_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
