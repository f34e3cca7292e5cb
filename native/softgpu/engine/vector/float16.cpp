// Half-precision arithmetic, in float or double as float_rules.h and F16 explain.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

// v_mad and v_mac round the product to half first, and know no denormals.
float multiply_add(const Mode& mode, float a, float b, float c) {
  const float product = a * b;
  const uint32_t half = mode.round_f64_f16 ? round_to_half(product, mode.round_f64_f16) : float_to_half(product);
  return flush_half_denormal(half_to_float(half)) + c;
}

KERNLOOP_LANE float abs(float v) {
  return as_float(bits(v) & 0x7fffffffu);
}
KERNLOOP_LANE bool is_finite_nonzero(float v) {
  return abs(v) < as_float(0x7f800000u) && v != 0;
}

constexpr unsigned kMad = kFlushAlways;

constexpr Row kRows[] = {
    row<Op::v_add_f16, F16(F16, F16)>([](float a, float b) { return a + b; }),
    row<Op::v_sub_f16, F16(F16, F16)>([](float a, float b) { return a - b; }),
    row<Op::v_subrev_f16, F16(F16, F16)>([](float a, float b) { return b - a; }),
    row<Op::v_mul_f16, F16(F16, F16)>([](float a, float b) { return a * b; }),
    row<Op::v_fma_f16, F16(F16, F16, F16), kPreserveHigh>(
        [](const Mode& m, float a, float b, float c) { return fused_half(m, a, b, c); }),
    row<Op::v_fma_legacy_f16, F16(F16, F16, F16)>(
        [](const Mode& m, float a, float b, float c) { return fused_half(m, a, b, c); }),
    row<Op::v_mad_f16, F16(F16, F16, F16), kMad | kPreserveHigh>(
        [](const Mode& m, float a, float b, float c) { return multiply_add(m, a, b, c); }),
    row<Op::v_mad_legacy_f16, F16(F16, F16, F16), kMad>(
        [](const Mode& m, float a, float b, float c) { return multiply_add(m, a, b, c); }),
    row<Op::v_madmk_f16, F16(F16, F16, F16), kMad>(
        [](const Mode& m, float a, float b, float c) { return multiply_add(m, a, b, c); }),
    row<Op::v_madak_f16, F16(F16, F16, F16), kMad>(
        [](const Mode& m, float a, float b, float c) { return multiply_add(m, a, b, c); }),
    row<Op::v_mac_f16, F16(F16, F16, F16), kMad | kAccumulate>(
        [](const Mode& m, float a, float b, float c) { return multiply_add(m, a, b, c); }),
    row<Op::v_trunc_f16, F16(F16)>([](float a) { return __builtin_truncf(a); }),
    row<Op::v_ceil_f16, F16(F16)>([](float a) { return __builtin_ceilf(a); }),
    row<Op::v_floor_f16, F16(F16)>([](float a) { return __builtin_floorf(a); }),
    row<Op::v_rndne_f16, F16(F16), kIgnoreRounding>([](float a) { return __builtin_rintf(a); }),
    // Less than 1: the largest half below it where the difference would round up.
    row<Op::v_fract_f16, F16(F16)>([](float a) {
      const float f = a - __builtin_floorf(a), below_one = 0x1.ffcp-1f;
      return f > below_one ? below_one : f;
    }),
    row<Op::v_ldexp_f16, F16(F16, I16)>([](float a, int32_t n) {
      const int bounded = n < -100 ? -100 : n > 100 ? 100 : n;
      return static_cast<double>(a) * as_double(static_cast<uint64_t>(bounded + 1023) << 52);
    }),
    row<Op::v_frexp_mant_f16, F16(F16), kKeepDenormals>(
        [](float a) { return is_finite_nonzero(a) ? as_float((bits(a) & 0x807fffffu) | 0x3f000000u) : a; }),
    row<Op::v_frexp_exp_i16_f16, I16(F16), kKeepDenormals>(
        [](float a) { return is_finite_nonzero(a) ? static_cast<int32_t>((bits(a) >> 23) & 0xff) - 126 : 0; }),
};

}  // namespace

RowTable float16_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
