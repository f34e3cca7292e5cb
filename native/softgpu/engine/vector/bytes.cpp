// Operations on the bytes of a register.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct Quad {
  u32 word[4];
};
struct U128 {  // four 32-bit accumulators
  using Value = Quad;
  static constexpr unsigned kDwords = 4, kBits = 128;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) {
    return {{p[lane], p[kLanes + lane], p[2 * kLanes + lane], p[3 * kLanes + lane]}};
  }
  static void store(uint32_t* p, unsigned lane, const Value& v) {
    for (unsigned k = 0; k < 4; ++k) p[k * kLanes + lane] = v.word[k];
  }
};

KERNLOOP_LANE constexpr u32 difference(u32 a, u32 b) {
  return a > b ? a - b : b - a;
}
KERNLOOP_LANE constexpr u32 byte(u32 v, unsigned k) {
  return (v >> (8 * k)) & 0xff;
}

KERNLOOP_LANE constexpr u32 sad_u8(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned k = 0; k < 4; ++k) sum += difference(byte(a, k), byte(b, k));
  return sum;
}
// Zero bytes of the reference (b) are left out.
KERNLOOP_LANE constexpr u32 masked_sad_u8(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned k = 0; k < 4; ++k) sum += byte(b, k) ? difference(byte(a, k), byte(b, k)) : 0;
  return sum;
}
KERNLOOP_LANE constexpr u32 sad_u16(u32 a, u32 b) {
  return difference(a & 0xffff, b & 0xffff) + difference(a >> 16, b >> 16);
}
constexpr u32 add_saturated(u32 a, u32 b) {
  return a + b < a ? ~0u : a + b;
}

// The reference against four windows of a, a byte apart, each sum added to 16 bits of c.
template <class Sad>
u64 four_windows(u64 a, u32 b, u64 c, Sad sad) {
  u64 r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const u32 sum = sad(static_cast<u32>(a >> (8 * k)), b) + static_cast<u32>((c >> (16 * k)) & 0xffff);
    r |= static_cast<u64>(sum & 0xffff) << (16 * k);
  }
  return r;
}

// One byte of v_perm: selectors 0..7 take a byte of {a, b} (b low), 8..11 the sign of bytes 1, 3, 5, 7, 12 is 0, above
// all ones.
KERNLOOP_LANE constexpr u32 permuted_byte(u32 a, u32 b, u32 selector) {
  const u32 word = (selector & 4) ? a : b, signed_word = (selector & 2) ? a : b;
  const u32 picked = (word >> (8 * (selector & 3))) & 0xff;
  const u32 sign = 0u - ((signed_word >> (16 * (selector & 1) + 15)) & 1);
  u32 r = selector == 12 ? 0 : 0xff;
  r = selector < 12 ? sign & 0xff : r;
  return selector < 8 ? picked : r;
}

constexpr Row kRows[] = {
    row<Op::v_perm_b32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) {
      return permuted_byte(a, b, byte(c, 0)) | permuted_byte(a, b, byte(c, 1)) << 8 |
             permuted_byte(a, b, byte(c, 2)) << 16 | permuted_byte(a, b, byte(c, 3)) << 24;
    }),
    // Averages of bytes, rounded up if the third operand's byte is odd.
    row<Op::v_lerp_u8, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) {
      u32 r = 0;
      for (unsigned k = 0; k < 4; ++k) r |= ((byte(a, k) + byte(b, k) + (byte(c, k) & 1)) >> 1) << (8 * k);
      return r;
    }),
    row<Op::v_sad_u8, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return sad_u8(a, b) + c; },
                                          [](u32 a, u32 b, u32 c) { return add_saturated(sad_u8(a, b), c); }),
    row<Op::v_sad_hi_u8, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (sad_u8(a, b) << 16) + c; },
                                             [](u32 a, u32 b, u32 c) { return add_saturated(sad_u8(a, b) << 16, c); }),
    row<Op::v_sad_u16, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return sad_u16(a, b) + c; },
                                           [](u32 a, u32 b, u32 c) { return add_saturated(sad_u16(a, b), c); }),
    row<Op::v_sad_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return difference(a, b) + c; },
                                           [](u32 a, u32 b, u32 c) { return add_saturated(difference(a, b), c); }),
    row<Op::v_msad_u8, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return masked_sad_u8(a, b) + c; },
                                           [](u32 a, u32 b, u32 c) { return add_saturated(masked_sad_u8(a, b), c); }),
    row<Op::v_qsad_pk_u16_u8, U64(U64, U32, U64)>([](u64 a, u32 b, u64 c) { return four_windows(a, b, c, sad_u8); }),
    row<Op::v_mqsad_pk_u16_u8, U64(U64, U32, U64)>(
        [](u64 a, u32 b, u64 c) { return four_windows(a, b, c, masked_sad_u8); }),
    row<Op::v_mqsad_u32_u8, U128(U64, U32, U128)>([](u64 a, u32 b, const Quad& c) {
      Quad r;
      for (unsigned k = 0; k < 4; ++k) r.word[k] = masked_sad_u8(static_cast<u32>(a >> (8 * k)), b) + c.word[k];
      return r;
    }),
};

}  // namespace

RowTable byte_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
