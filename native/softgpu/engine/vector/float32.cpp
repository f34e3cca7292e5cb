// Single-precision arithmetic. Rounding, denormals and NaN results are the form's business (forms.h).
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

KERNLOOP_LANE float abs(float v) {
  return as_float(bits(v) & 0x7fffffffu);
}

// v_mad and v_mac round the product, then the sum, and know no denormals.
KERNLOOP_LANE float multiply_add(float a, float b, float c) {
  return flush_denormal(a * b) + c;
}
KERNLOOP_LANE float multiply_legacy(float a, float b) {
  return a == 0 || b == 0 ? 0.0f : a * b;
}
KERNLOOP_LANE float fused_legacy(float a, float b, float c) {
  return a == 0 || b == 0 ? 0.0f + c : fused(a, b, c);
}

// Cube maps: the major axis is z, then y, then x if magnitudes are equal.
KERNLOOP_LANE bool is_major_z(float x, float y, float z) {
  return abs(z) >= abs(x) && abs(z) >= abs(y);
}
KERNLOOP_LANE bool is_major_y(float x, float y) {
  return abs(y) >= abs(x);
}

// a * 2^n, rounded once: the scaling is exact in double, whose range it cannot leave for |n| <= 700.
KERNLOOP_LANE float scale(float a, int32_t n) {
  const int bounded = n < -700 ? -700 : n > 700 ? 700 : n;
  return static_cast<float>(static_cast<double>(a) * as_double(static_cast<uint64_t>(bounded + 1023) << 52));
}

// Products are subtracted, or subtracted from, more often than not.
template <Op op>
constexpr Row fma_row() {
  constexpr auto fma = [](float a, float b, float c) { return fused(a, b, c); };
  using Signature = F32(F32, F32, F32);
  using K = Kernel<Signature, decltype(fma), kNone>;
  Row r = row<op, Signature>(fma);
  r.lean_negated[0] = execute_lean<K, 1>;
  r.lean_negated[1] = execute_lean<K, 2>;
  r.lean_negated[2] = execute_lean<K, 4>;
  return r;
}

constexpr Row kRows[] = {
    row<Op::v_add_f32, F32(F32, F32)>([](float a, float b) { return a + b; }),
    row<Op::v_sub_f32, F32(F32, F32)>([](float a, float b) { return a - b; }),
    row<Op::v_subrev_f32, F32(F32, F32)>([](float a, float b) { return b - a; }),
    row<Op::v_mul_f32, F32(F32, F32)>([](float a, float b) { return a * b; }),
    row<Op::v_mul_legacy_f32, F32(F32, F32)>([](float a, float b) { return multiply_legacy(a, b); }),
    fma_row<Op::v_fma_f32>(),
    row<Op::v_fmac_f32, F32(F32, F32, F32), kAccumulate>([](float a, float b, float c) { return fused(a, b, c); }),
    row<Op::v_fma_legacy_f32, F32(F32, F32, F32)>([](float a, float b, float c) { return fused_legacy(a, b, c); }),
    row<Op::v_fmac_legacy_f32, F32(F32, F32, F32), kAccumulate>(
        [](float a, float b, float c) { return fused_legacy(a, b, c); }),
    row<Op::v_mad_f32, F32(F32, F32, F32), kFlushAlways>(
        [](float a, float b, float c) { return multiply_add(a, b, c); }),
    row<Op::v_madmk_f32, F32(F32, F32, F32), kFlushAlways>(
        [](float a, float b, float c) { return multiply_add(a, b, c); }),
    row<Op::v_madak_f32, F32(F32, F32, F32), kFlushAlways>(
        [](float a, float b, float c) { return multiply_add(a, b, c); }),
    row<Op::v_mac_f32, F32(F32, F32, F32), kFlushAlways | kAccumulate>(
        [](float a, float b, float c) { return multiply_add(a, b, c); }),
    row<Op::v_mad_legacy_f32, F32(F32, F32, F32), kFlushAlways>(
        [](float a, float b, float c) { return flush_denormal(multiply_legacy(a, b)) + c; }),

    row<Op::v_trunc_f32, F32(F32)>([](float a) { return __builtin_truncf(a); }),
    row<Op::v_ceil_f32, F32(F32)>([](float a) { return __builtin_ceilf(a); }),
    row<Op::v_floor_f32, F32(F32)>([](float a) { return __builtin_floorf(a); }),
    row<Op::v_rndne_f32, F32(F32), kIgnoreRounding>([](float a) { return __builtin_rintf(a); }),
    // Less than 1 even if a - floor(a) would round to it.
    row<Op::v_fract_f32, F32(F32)>([](float a) {
      const float f = a - __builtin_floorf(a);
      return f >= 1.0f ? as_float(0x3f7fffffu) : f;
    }),
    row<Op::v_ldexp_f32, F32(F32, I32)>([](float a, int32_t n) { return scale(a, n); }),
    row<Op::v_frexp_mant_f32, F32(F32), kKeepDenormals>([](float a) {
      const float magnitude = abs(a);
      if (!(magnitude < as_float(0x7f800000u)) || magnitude == 0) return a;
      const float normal = magnitude < 0x1p-126f ? a * 0x1p64f : a;
      return as_float((bits(normal) & 0x807fffffu) | 0x3f000000u);
    }),
    row<Op::v_frexp_exp_i32_f32, I32(F32), kKeepDenormals>([](float a) {
      const float magnitude = abs(a);
      if (!(magnitude < as_float(0x7f800000u)) || magnitude == 0) return 0;
      const bool denormal = magnitude < 0x1p-126f;
      const float normal = denormal ? magnitude * 0x1p64f : magnitude;
      return static_cast<int32_t>(bits(normal) >> 23) - 126 - (denormal ? 64 : 0);
    }),

    row<Op::v_cubeid_f32, F32(F32, F32, F32)>([](float x, float y, float z) {
      if (is_major_z(x, y, z)) return z < 0 ? 5.0f : 4.0f;
      if (is_major_y(x, y)) return y < 0 ? 3.0f : 2.0f;
      return x < 0 ? 1.0f : 0.0f;
    }),
    row<Op::v_cubesc_f32, F32(F32, F32, F32)>([](float x, float y, float z) {
      if (is_major_z(x, y, z)) return z < 0 ? -x : x;
      if (is_major_y(x, y)) return x;
      return x < 0 ? z : -z;
    }),
    row<Op::v_cubetc_f32, F32(F32, F32, F32)>([](float x, float y, float z) {
      if (is_major_z(x, y, z)) return -y;
      if (is_major_y(x, y)) return y < 0 ? -z : z;
      return -y;
    }),
    row<Op::v_cubema_f32, F32(F32, F32, F32)>([](float x, float y, float z) {
      if (is_major_z(x, y, z)) return z * 2.0f;
      if (is_major_y(x, y)) return y * 2.0f;
      return x * 2.0f;
    }),
};

}  // namespace

RowTable float32_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
