// Integer operations that also give a bit a lane. The bit of a lane that EXEC disables is 0.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using u32 = uint32_t;
using i32 = int32_t;
using Sum = WithBit<U32>;
using WideSum = WithBit<Pair>;
using U32Carry = BitAnd<U32>;
using PairCarry = BitAnd<Pair>;

KERNLOOP_LANE constexpr Sum add(u32 a, u32 b, u32 carry) {
  const u32 sum = a + b, with_carry = sum + carry;
  return {with_carry, static_cast<u32>((sum < a) | (with_carry < sum))};
}
KERNLOOP_LANE constexpr Sum subtract(u32 a, u32 b, u32 borrow) {
  const u32 difference = a - b;
  return {difference - borrow, static_cast<u32>((a < b) | (difference < borrow))};
}

// The 64-bit sum, and the 65th bit of the exact one: `a_top` and `b_top` are the summands' own.
KERNLOOP_LANE constexpr WideSum add(Dwords a, Dwords b, u32 a_top, u32 b_top) {
  const u32 low = a.low + b.low, carry = low < a.low;
  const u32 high = a.high + b.high, with_carry = high + carry;
  const u32 out = static_cast<u32>(high < a.high) | static_cast<u32>(with_carry < high);
  return {{low, with_carry}, out ^ a_top ^ b_top};
}

constexpr Row kRows[] = {
    row<U32Carry(U32, U32)>(Op::v_add_co_u32, [](u32 a, u32 b) { return add(a, b, 0); }),
    row<U32Carry(U32, U32)>(Op::v_sub_co_u32, [](u32 a, u32 b) { return subtract(a, b, 0); }),
    row<U32Carry(U32, U32)>(Op::v_subrev_co_u32, [](u32 a, u32 b) { return subtract(b, a, 0); }),
    row<U32Carry(U32, U32, Mask)>(Op::v_addc_co_u32, [](u32 a, u32 b, u32 c) { return add(a, b, c); }),
    row<U32Carry(U32, U32, Mask)>(Op::v_subb_co_u32, [](u32 a, u32 b, u32 c) { return subtract(a, b, c); }),
    row<U32Carry(U32, U32, Mask)>(Op::v_subbrev_co_u32, [](u32 a, u32 b, u32 c) { return subtract(b, a, c); }),
    row<PairCarry(U32, U32, Pair)>(Op::v_mad_u64_u32,
                                   [](u32 a, u32 b, Dwords c) {
                                     const u32 low = a * b, high = static_cast<u32>((uint64_t{a} * b) >> 32);
                                     return add(Dwords{low, high}, c, 0, 0);
                                   }),
    row<PairCarry(I32, I32, Pair)>(Op::v_mad_i64_i32,
                                   [](i32 a, i32 b, Dwords c) {
                                     const u32 low = static_cast<u32>(a) * static_cast<u32>(b);
                                     const u32 high = static_cast<u32>((int64_t{a} * b) >> 32);
                                     return add(Dwords{low, high}, c, high >> 31, c.high >> 31);
                                   }),
};

}  // namespace

RowTable carry_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
