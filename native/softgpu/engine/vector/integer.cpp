// 32- and 16-bit integer and bit operations. Second lambdas implement clamp: saturation.
#include <algorithm>

#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

constexpr i32 saturate_i32(i64 v) {
  return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : static_cast<i32>(v);
}
constexpr u32 saturate_u32(i64 v) {
  return v < 0 ? 0u : v > i64{UINT32_MAX} ? UINT32_MAX : static_cast<u32>(v);
}
constexpr i32 saturate_i16(i64 v) {
  return v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : static_cast<i32>(v);
}
constexpr u32 saturate_u16(i64 v) {
  return v < 0 ? 0u : v > i64{UINT16_MAX} ? u32{UINT16_MAX} : static_cast<u32>(v);
}

constexpr i32 sign24(u32 v) {
  return static_cast<i32>(v << 8) >> 8;
}
constexpr u32 low24(u32 v) {
  return v & 0xffffff;
}
constexpr i32 as_i32(u32 v) {
  return static_cast<i32>(v);
}

constexpr u32 reverse_bits(u32 v) {
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
  v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(v);
}
template <class T>
constexpr T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// A scalar goes to all lanes without a plane in between.
template <class Move>
void move_lean(Wave& wave, const Instruction& instruction) {
  const Operand& from = instruction.src[0];
  if (from.kind == Operand::Kind::kVgpr || wave.exec() != ~u64{0}) return execute_lean<Move>(wave, instruction);
  fill_plane(wave.vgpr[instruction.dst[0].index], static_cast<u32>(scalar_value(wave, from)));
}
template <Op op>
constexpr Row move_row() {
  constexpr auto move = [](u32 a) { return a; };
  using Move = Kernel<U32(U32), decltype(move), kNone>;
  Row r = row<op, U32(U32)>(move);
  r.lean = move_lean<Move>;
  return r;
}

constexpr Row kRows[] = {
    move_row<Op::v_mov_b32>(),
    row<Op::v_not_b32, U32(U32)>([](u32 a) { return ~a; }),
    row<Op::v_bfrev_b32, U32(U32)>([](u32 a) { return reverse_bits(a); }),
    row<Op::v_ffbh_u32, U32(U32)>([](u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : ~0u; }),
    row<Op::v_ffbl_b32, U32(U32)>([](u32 a) { return a ? static_cast<u32>(__builtin_ctz(a)) : ~0u; }),
    row<Op::v_ffbh_i32, U32(U32)>([](u32 a) {
      const u32 differs = a ^ static_cast<u32>(as_i32(a) >> 31);  // first bit unlike the sign
      return differs ? static_cast<u32>(__builtin_clz(differs)) : ~0u;
    }),
    row<Op::v_and_b32, U32(U32, U32)>([](u32 a, u32 b) { return a & b; }),
    row<Op::v_or_b32, U32(U32, U32)>([](u32 a, u32 b) { return a | b; }),
    row<Op::v_xor_b32, U32(U32, U32)>([](u32 a, u32 b) { return a ^ b; }),
    row<Op::v_xnor_b32, U32(U32, U32)>([](u32 a, u32 b) { return ~(a ^ b); }),
    row<Op::v_lshlrev_b32, U32(U32, U32)>([](u32 a, u32 b) { return b << (a & 31); }),
    row<Op::v_lshrrev_b32, U32(U32, U32)>([](u32 a, u32 b) { return b >> (a & 31); }),
    row<Op::v_ashrrev_i32, I32(U32, I32)>([](u32 a, i32 b) { return b >> (a & 31); }),
    row<Op::v_cndmask_b32, U32(U32, U32, Mask), kBitwiseFloat>([](u32 a, u32 b, bool m) { return m ? b : a; }),

    row<Op::v_add_u32, U32(U32, U32)>([](u32 a, u32 b) { return a + b; },
                                      [](u32 a, u32 b) { return saturate_u32(i64{a} + b); }),
    row<Op::v_sub_u32, U32(U32, U32)>([](u32 a, u32 b) { return a - b; },
                                      [](u32 a, u32 b) { return saturate_u32(i64{a} - b); }),
    row<Op::v_subrev_u32, U32(U32, U32)>([](u32 a, u32 b) { return b - a; },
                                         [](u32 a, u32 b) { return saturate_u32(i64{b} - a); }),
    row<Op::v_add_i32, U32(U32, U32)>(
        [](u32 a, u32 b) { return a + b; },
        [](u32 a, u32 b) { return static_cast<u32>(saturate_i32(i64{as_i32(a)} + as_i32(b))); }),
    row<Op::v_sub_i32, U32(U32, U32)>(
        [](u32 a, u32 b) { return a - b; },
        [](u32 a, u32 b) { return static_cast<u32>(saturate_i32(i64{as_i32(a)} - as_i32(b))); }),
    row<Op::v_add3_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return a + b + c; }),
    row<Op::v_xad_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (a ^ b) + c; }),
    row<Op::v_lshl_add_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),
    row<Op::v_add_lshl_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }),
    row<Op::v_lshl_or_b32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }),
    row<Op::v_and_or_b32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (a & b) | c; }),
    row<Op::v_or3_b32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return a | b | c; }),
    row<Op::v_xor3_b32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return a ^ b ^ c; }),

    row<Op::v_mul_lo_u32, U32(U32, U32)>([](u32 a, u32 b) { return a * b; }),
    row<Op::v_mul_hi_u32, U32(U32, U32)>([](u32 a, u32 b) { return static_cast<u32>((u64{a} * b) >> 32); }),
    row<Op::v_mul_hi_i32, I32(I32, I32)>([](i32 a, i32 b) { return static_cast<i32>((i64{a} * b) >> 32); }),
    row<Op::v_mul_u32_u24, U32(U32, U32)>(
        [](u32 a, u32 b) { return low24(a) * low24(b); },
        [](u32 a, u32 b) { return saturate_u32(static_cast<i64>(u64{low24(a)} * low24(b))); }),
    row<Op::v_mul_hi_u32_u24, U32(U32, U32)>(
        [](u32 a, u32 b) { return static_cast<u32>((u64{low24(a)} * low24(b)) >> 32); }),
    row<Op::v_mul_i32_i24, U32(U32, U32)>(
        [](u32 a, u32 b) { return static_cast<u32>(sign24(a)) * static_cast<u32>(sign24(b)); },
        [](u32 a, u32 b) { return static_cast<u32>(saturate_i32(i64{sign24(a)} * sign24(b))); }),
    row<Op::v_mul_hi_i32_i24, I32(U32, U32)>(
        [](u32 a, u32 b) { return static_cast<i32>((i64{sign24(a)} * sign24(b)) >> 32); }),
    row<Op::v_mad_u32_u24, U32(U32, U32, U32)>(
        [](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; },
        [](u32 a, u32 b, u32 c) { return saturate_u32(static_cast<i64>(u64{low24(a)} * low24(b) + c)); }),
    row<Op::v_mad_i32_i24, U32(U32, U32, U32)>(
        [](u32 a, u32 b, u32 c) { return static_cast<u32>(sign24(a)) * static_cast<u32>(sign24(b)) + c; },
        [](u32 a, u32 b, u32 c) { return static_cast<u32>(saturate_i32(i64{sign24(a)} * sign24(b) + as_i32(c))); }),
    row<Op::v_mad_u32_u16, U32(U16, U16, U32)>(
        [](u32 a, u32 b, u32 c) { return a * b + c; },
        [](u32 a, u32 b, u32 c) { return saturate_u32(static_cast<i64>(u64{a} * b + c)); }),
    row<Op::v_mad_i32_i16, U32(I16, I16, U32)>(
        [](i32 a, i32 b, u32 c) { return static_cast<u32>(a * b) + c; },
        [](i32 a, i32 b, u32 c) { return static_cast<u32>(saturate_i32(i64{a} * b + as_i32(c))); }),

    row<Op::v_min_u32, U32(U32, U32)>([](u32 a, u32 b) { return a < b ? a : b; }),
    row<Op::v_max_u32, U32(U32, U32)>([](u32 a, u32 b) { return a > b ? a : b; }),
    row<Op::v_min_i32, I32(I32, I32)>([](i32 a, i32 b) { return a < b ? a : b; }),
    row<Op::v_max_i32, I32(I32, I32)>([](i32 a, i32 b) { return a > b ? a : b; }),
    row<Op::v_min3_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return std::min(std::min(a, b), c); }),
    row<Op::v_max3_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return std::max(std::max(a, b), c); }),
    row<Op::v_med3_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return median(a, b, c); }),
    row<Op::v_min3_i32, I32(I32, I32, I32)>([](i32 a, i32 b, i32 c) { return std::min(std::min(a, b), c); }),
    row<Op::v_max3_i32, I32(I32, I32, I32)>([](i32 a, i32 b, i32 c) { return std::max(std::max(a, b), c); }),
    row<Op::v_med3_i32, I32(I32, I32, I32)>([](i32 a, i32 b, i32 c) { return median(a, b, c); }),

    row<Op::v_bfe_u32, U32(U32, U32, U32)>(
        [](u32 a, u32 b, u32 c) { return (a >> (b & 31)) & ((1u << (c & 31)) - 1); }),
    row<Op::v_bfe_i32, I32(I32, U32, U32)>([](i32 a, u32 b, u32 c) {
      const u32 width = c & 31, spare = 31 - width;
      const u32 moved = static_cast<u32>(a >> (b & 31)) << spare << 1;
      return width ? static_cast<i32>(moved) >> spare >> 1 : 0;
    }),
    row<Op::v_bfi_b32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }),
    row<Op::v_bfm_b32, U32(U32, U32)>([](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }),
    row<Op::v_alignbit_b32, U32(U32, U32, U32)>(
        [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); }),
    row<Op::v_alignbyte_b32, U32(U32, U32, U32)>(
        [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3))); }),
    row<Op::v_bcnt_u32_b32, U32(U32, U32)>([](u32 a, u32 b) { return count_bits(a) + b; }),

    row<Op::v_add_u16, U16(U16, U16)>([](u32 a, u32 b) { return a + b; },
                                      [](u32 a, u32 b) { return saturate_u16(i64{a} + b); }),
    row<Op::v_sub_u16, U16(U16, U16)>([](u32 a, u32 b) { return a - b; },
                                      [](u32 a, u32 b) { return saturate_u16(i64{a} - b); }),
    row<Op::v_subrev_u16, U16(U16, U16)>([](u32 a, u32 b) { return b - a; },
                                         [](u32 a, u32 b) { return saturate_u16(i64{b} - a); }),
    row<Op::v_add_i16, I16(I16, I16), kPreserveHigh>([](i32 a, i32 b) { return a + b; },
                                                     [](i32 a, i32 b) { return saturate_i16(i64{a} + b); }),
    row<Op::v_sub_i16, I16(I16, I16), kPreserveHigh>([](i32 a, i32 b) { return a - b; },
                                                     [](i32 a, i32 b) { return saturate_i16(i64{a} - b); }),
    row<Op::v_mul_lo_u16, U16(U16, U16)>([](u32 a, u32 b) { return a * b; },
                                         [](u32 a, u32 b) { return saturate_u16(i64{a} * b); }),
    row<Op::v_lshlrev_b16, U16(U16, U16)>([](u32 a, u32 b) { return b << (a & 15); }),
    row<Op::v_lshrrev_b16, U16(U16, U16)>([](u32 a, u32 b) { return b >> (a & 15); }),
    row<Op::v_ashrrev_i16, I16(U16, I16)>([](u32 a, i32 b) { return b >> (a & 15); }),
    row<Op::v_min_u16, U16(U16, U16)>([](u32 a, u32 b) { return a < b ? a : b; }),
    row<Op::v_max_u16, U16(U16, U16)>([](u32 a, u32 b) { return a > b ? a : b; }),
    row<Op::v_min_i16, I16(I16, I16)>([](i32 a, i32 b) { return a < b ? a : b; }),
    row<Op::v_max_i16, I16(I16, I16)>([](i32 a, i32 b) { return a > b ? a : b; }),
    row<Op::v_min3_u16, U16(U16, U16, U16), kPreserveHigh>(
        [](u32 a, u32 b, u32 c) { return std::min(std::min(a, b), c); }),
    row<Op::v_max3_u16, U16(U16, U16, U16), kPreserveHigh>(
        [](u32 a, u32 b, u32 c) { return std::max(std::max(a, b), c); }),
    row<Op::v_med3_u16, U16(U16, U16, U16), kPreserveHigh>([](u32 a, u32 b, u32 c) { return median(a, b, c); }),
    row<Op::v_min3_i16, I16(I16, I16, I16), kPreserveHigh>(
        [](i32 a, i32 b, i32 c) { return std::min(std::min(a, b), c); }),
    row<Op::v_max3_i16, I16(I16, I16, I16), kPreserveHigh>(
        [](i32 a, i32 b, i32 c) { return std::max(std::max(a, b), c); }),
    row<Op::v_med3_i16, I16(I16, I16, I16), kPreserveHigh>([](i32 a, i32 b, i32 c) { return median(a, b, c); }),
    row<Op::v_mad_u16, U16(U16, U16, U16), kPreserveHigh>(
        [](u32 a, u32 b, u32 c) { return a * b + c; },
        [](u32 a, u32 b, u32 c) { return saturate_u16(i64{a} * b + c); }),
    row<Op::v_mad_i16, I16(I16, I16, I16), kPreserveHigh>(
        [](i32 a, i32 b, i32 c) { return a * b + c; },
        [](i32 a, i32 b, i32 c) { return saturate_i16(i64{a} * b + c); }),
    // gfx1100
    row<Op::v_mov_b16, U16(U16)>([](u32 a) { return a; }),
    row<Op::v_not_b16, U16(U16)>([](u32 a) { return ~a; }),
    row<Op::v_and_b16, U16(U16, U16)>([](u32 a, u32 b) { return a & b; }),
    row<Op::v_or_b16, U16(U16, U16)>([](u32 a, u32 b) { return a | b; }),
    row<Op::v_xor_b16, U16(U16, U16)>([](u32 a, u32 b) { return a ^ b; }),
    row<Op::v_cndmask_b16, U16(U16, U16, Mask), kBitwiseFloat>([](u32 a, u32 b, bool m) { return m ? b : a; }),
    row<Op::v_cvt_i32_i16, I32(I16)>([](i32 a) { return a; }),
    row<Op::v_cvt_u32_u16, U32(U16)>([](u32 a) { return a; }),
    row<Op::v_maxmin_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); }),
    row<Op::v_minmax_u32, U32(U32, U32, U32)>([](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); }),
    row<Op::v_maxmin_i32, I32(I32, I32, I32)>([](i32 a, i32 b, i32 c) { return std::min(std::max(a, b), c); }),
    row<Op::v_minmax_i32, I32(I32, I32, I32)>([](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), c); }),
    row<Op::v_mad_legacy_u16, U16(U16, U16, U16)>([](u32 a, u32 b, u32 c) { return a * b + c; },
                                                  [](u32 a, u32 b, u32 c) { return saturate_u16(i64{a} * b + c); }),
    row<Op::v_mad_legacy_i16, I16(I16, I16, I16)>([](i32 a, i32 b, i32 c) { return a * b + c; },
                                                  [](i32 a, i32 b, i32 c) { return saturate_i16(i64{a} * b + c); }),
};

}  // namespace

RowTable integer_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
