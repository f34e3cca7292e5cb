// Conversions. To integers: toward zero unless the name says otherwise, saturating, NaN to 0.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using u32 = uint32_t;
using i32 = int32_t;

template <class Float>
KERNLOOP_LANE u32 to_u32(Float v) {
  const Float positive = v > 0 ? v : 0;  // NaN too
  // Float's largest value below 2^32: the conversion below is defined for all values that are not saturated anyway.
  const Float limit = sizeof(Float) == 4 ? static_cast<Float>(4294967040.0) : static_cast<Float>(4294967295.0);
  const Float bounded = positive < limit ? positive : limit;
  const bool upper = bounded >= 2147483648.0;
  const i32 low = static_cast<i32>(bounded - (upper ? static_cast<Float>(2147483648.0) : 0));
  const u32 r = static_cast<u32>(low) ^ (upper ? 0x80000000u : 0);
  return positive >= static_cast<Float>(4294967296.0) ? ~0u : r;
}
template <class Float>
KERNLOOP_LANE i32 to_i32(Float v) {
  const Float high = sizeof(Float) == 4 ? static_cast<Float>(2147483520.0) : static_cast<Float>(2147483647.0);
  Float bounded = v < high ? v : high;  // NaN too; replaced below
  bounded = bounded > static_cast<Float>(-2147483648.0) ? bounded : static_cast<Float>(-2147483648.0);
  i32 r = static_cast<i32>(bounded);
  r = v >= static_cast<Float>(2147483648.0) ? INT32_MAX : r;
  return v == v ? r : 0;
}
KERNLOOP_LANE i32 to_bounded(float v, float low, float high) {  // `low` and `high` are integers
  const float bounded = v > low ? (v < high ? v : high) : low;
  return v == v ? static_cast<i32>(bounded) : 0;
}

template <unsigned kMantissa>
KERNLOOP_LANE Dwords two_from_float8(u32 v) {
  return {bits(float8_to_float<kMantissa>(v & 0xff)), bits(float8_to_float<kMantissa>(v >> 8 & 0xff))};
}

KERNLOOP_LANE u32 saturate_u16(u32 v) {
  return v < 0xffff ? v : 0xffff;
}
KERNLOOP_LANE u32 saturate_i16(i32 v) {
  return static_cast<u32>(v < -32768 ? -32768 : v > 32767 ? 32767 : v) & 0xffff;
}
KERNLOOP_LANE u32 saturate_u8(i32 v) {
  return v < 0 ? 0 : v > 255 ? 255 : static_cast<u32>(v);
}
KERNLOOP_LANE u32 pack(u32 low, u32 high) {
  return (low & 0xffff) | high << 16;
}

// To the nearest of n steps in [-1, 1] or [0, 1], NaN to 0. The product is exact in double. Only one half is halfway
// between two steps, and "to even" and "away from zero" round it alike: 65534 x is odd for no other x that is a float.
KERNLOOP_LANE i32 nearest_step(float v, float low, float steps) {
  const float bounded = v > low ? (v < 1.0f ? v : 1.0f) : low;
  const double scaled = static_cast<double>(bounded) * steps;
  const i32 r = static_cast<i32>(scaled + (scaled < 0 ? -0.5 : 0.5));
  return v == v ? r : 0;
}
KERNLOOP_LANE i32 signed_norm(float v) {
  return nearest_step(v, -1.0f, 32767.0f);
}
KERNLOOP_LANE u32 unsigned_norm(float v) {
  return static_cast<u32>(nearest_step(v, 0.0f, 65535.0f));
}
// Adding 2^23 leaves no room for a fraction: the sum is rounded to the nearest even integer.
KERNLOOP_LANE u32 nearest_u8(float v) {
  const float bounded = v > 0 ? (v < 255.0f ? v : 255.0f) : 0.0f;  // NaN too
  return bits(bounded + 0x1p23f) & 0xff;
}

// Toward zero, for any MODE; too large values become the largest finite half.
KERNLOOP_LANE u32 half_toward_zero(float v) {
  const u32 b = bits(v), sign = (b >> 16) & 0x8000u, magnitude = b & 0x7fffffffu;
  const u32 normal = (magnitude - (112u << 23)) >> 13;
  const float denormal_range = magnitude < 0x38800000u ? as_float(magnitude) : 0.0f;
  const u32 denormal = static_cast<u32>(static_cast<i32>(denormal_range * 0x1p24f));
  u32 r = magnitude < 0x38800000u ? denormal : normal;
  r = magnitude >= 0x47800000u ? 0x7bffu : r;
  r = magnitude == 0x7f800000u ? 0x7c00u : r;
  r = magnitude > 0x7f800000u ? (0x7e00u | ((magnitude >> 13) & 0x1ffu)) : r;
  return sign | r;
}
KERNLOOP_LANE u32 flushed_half(const Mode& mode, u32 h) {
  return !(mode.denorm_f64_f16 & 2) && (h & 0x7c00u) == 0 ? h & 0x8000u : h;
}

struct HalfBits : U16 {  // a half that is moved, not computed with
  static constexpr Precision kPrecision = Precision::kF64F16;
};

constexpr Row kRows[] = {
    row<Op::v_cvt_f32_fp8, F32(U32)>([](u32 a) { return float8_to_float<3>(a & 0xff); }),
    row<Op::v_cvt_f32_bf8, F32(U32)>([](u32 a) { return float8_to_float<2>(a & 0xff); }),
    row<Op::v_cvt_pk_f32_fp8, Pair(U32)>([](u32 a) { return two_from_float8<3>(a); }),
    row<Op::v_cvt_pk_f32_bf8, Pair(U32)>([](u32 a) { return two_from_float8<2>(a); }),
    row<Op::v_cvt_f32_i32, F32(I32)>([](i32 a) { return static_cast<float>(a); }),
    row<Op::v_cvt_f32_u32, F32(U32)>([](u32 a) { return static_cast<float>(a); }),
    row<Op::v_cvt_f64_i32, F64(I32)>([](i32 a) { return static_cast<double>(a); }),
    row<Op::v_cvt_f64_u32, F64(U32)>([](u32 a) { return static_cast<double>(a); }),
    row<Op::v_cvt_f16_u16, F16(U16)>([](u32 a) { return static_cast<float>(static_cast<i32>(a)); }),
    row<Op::v_cvt_f16_i16, F16(I16)>([](i32 a) { return static_cast<float>(a); }),
    row<Op::v_cvt_f32_ubyte0, F32(U32)>([](u32 a) { return static_cast<float>(static_cast<i32>(a & 0xff)); }),
    row<Op::v_cvt_f32_ubyte1, F32(U32)>([](u32 a) { return static_cast<float>(static_cast<i32>((a >> 8) & 0xff)); }),
    row<Op::v_cvt_f32_ubyte2, F32(U32)>([](u32 a) { return static_cast<float>(static_cast<i32>((a >> 16) & 0xff)); }),
    row<Op::v_cvt_f32_ubyte3, F32(U32)>([](u32 a) { return static_cast<float>(static_cast<i32>(a >> 24)); }),
    // Four signed bits as sixteenths: an offset in [-0.5, 0.4375].
    row<Op::v_cvt_off_f32_i4, F32(U32)>(
        [](u32 a) { return static_cast<float>(static_cast<i32>(a << 28) >> 28) * 0.0625f; }),

    row<Op::v_cvt_f64_f32, F64(F32)>([](float a) { return static_cast<double>(a); }),
    row<Op::v_cvt_f32_f64, F32(F64)>([](double a) { return static_cast<float>(a); }),
    row<Op::v_cvt_f16_f32, F16(F32)>([](float a) { return a; }),
    row<Op::v_cvt_f32_f16, F32(F16)>([](float a) { return a; }),

    row<Op::v_cvt_u32_f32, U32(F32)>([](float a) { return to_u32(a); }),
    row<Op::v_cvt_i32_f32, I32(F32)>([](float a) { return to_i32(a); }),
    row<Op::v_cvt_u32_f64, U32(F64)>([](double a) { return to_u32(a); }),
    row<Op::v_cvt_i32_f64, I32(F64)>([](double a) { return to_i32(a); }),
    row<Op::v_cvt_rpi_i32_f32, I32(F32)>([](float a) { return to_i32(__builtin_floorf(a + 0.5f)); }),
    row<Op::v_cvt_flr_i32_f32, I32(F32)>([](float a) { return to_i32(__builtin_floorf(a)); }),
    row<Op::v_cvt_u16_f16, U16(F16)>([](float a) { return static_cast<u32>(to_bounded(a, 0.0f, 65535.0f)); }),
    row<Op::v_cvt_i16_f16, I16(F16)>([](float a) { return to_bounded(a, -32768.0f, 32767.0f); }),

    row<Op::v_cvt_pkrtz_f16_f32, U32(F32, F32)>([](const Mode& mode, float a, float b) {
      return pack(flushed_half(mode, half_toward_zero(a)), flushed_half(mode, half_toward_zero(b)));
    }),
    row<Op::v_cvt_pknorm_i16_f32, U32(F32, F32)>(
        [](float a, float b) { return pack(static_cast<u32>(signed_norm(a)), static_cast<u32>(signed_norm(b))); }),
    row<Op::v_cvt_pknorm_u16_f32, U32(F32, F32)>(
        [](float a, float b) { return pack(unsigned_norm(a), unsigned_norm(b)); }),
    row<Op::v_cvt_pknorm_i16_f16, U32(F16, F16)>(
        [](float a, float b) { return pack(static_cast<u32>(signed_norm(a)), static_cast<u32>(signed_norm(b))); }),
    row<Op::v_cvt_pknorm_u16_f16, U32(F16, F16)>(
        [](float a, float b) { return pack(unsigned_norm(a), unsigned_norm(b)); }),
    row<Op::v_cvt_norm_i16_f16, I16(F16)>([](float a) { return signed_norm(a); }),
    row<Op::v_cvt_norm_u16_f16, U16(F16)>([](float a) { return unsigned_norm(a); }),
    // The second source says which byte of the third is replaced.
    row<Op::v_cvt_pk_u8_f32, U32(F32, U32, U32)>([](float a, u32 b, u32 c) {
      const u32 at = 8 * (b & 3);
      return (c & ~(0xffu << at)) | nearest_u8(a) << at;
    }),
    row<Op::v_cvt_pk_u16_u32, U32(U32, U32)>([](u32 a, u32 b) { return pack(saturate_u16(a), saturate_u16(b)); }),
    row<Op::v_cvt_pk_i16_i32, U32(I32, I32)>([](i32 a, i32 b) { return pack(saturate_i16(a), saturate_i16(b)); }),
    row<Op::v_sat_pk_u8_i16, U16(U32)>(
        [](u32 a) { return saturate_u8(static_cast<int16_t>(a)) | saturate_u8(static_cast<int16_t>(a >> 16)) << 8; }),
    row<Op::v_pack_b32_f16, U32(HalfBits, HalfBits)>([](u32 a, u32 b) { return pack(a, b); }),
};

}  // namespace

RowTable convert_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
