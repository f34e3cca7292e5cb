// Integer operations that also give a bit a lane. The bit of a lane that EXEC disables is 0.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;
using Sum = WithBit<U32>;
using WideSum = WithBit<U64>;
using U32Carry = BitAnd<U32>;
using U64Carry = BitAnd<U64>;

KERNLOOP_LANE constexpr Sum add(u32 a, u32 b, bool carry) {
  const u32 sum = a + b, with_carry = sum + carry;
  return {with_carry, static_cast<u32>((sum < a) | (with_carry < sum))};
}
KERNLOOP_LANE constexpr Sum subtract(u32 a, u32 b, bool borrow) {
  const u32 difference = a - b;
  return {difference - borrow, static_cast<u32>((a < b) | (difference < static_cast<u32>(borrow)))};
}

constexpr Row kRows[] = {
    row<U32Carry(U32, U32)>(Op::v_add_co_u32, [](u32 a, u32 b) { return add(a, b, false); }),
    row<U32Carry(U32, U32)>(Op::v_sub_co_u32, [](u32 a, u32 b) { return subtract(a, b, false); }),
    row<U32Carry(U32, U32)>(Op::v_subrev_co_u32, [](u32 a, u32 b) { return subtract(b, a, false); }),
    row<U32Carry(U32, U32, Mask)>(Op::v_addc_co_u32, [](u32 a, u32 b, bool c) { return add(a, b, c); }),
    row<U32Carry(U32, U32, Mask)>(Op::v_subb_co_u32, [](u32 a, u32 b, bool c) { return subtract(a, b, c); }),
    row<U32Carry(U32, U32, Mask)>(Op::v_subbrev_co_u32, [](u32 a, u32 b, bool c) { return subtract(b, a, c); }),
    // The bit is the 65th of the exact result.
    row<U64Carry(U32, U32, U64)>(Op::v_mad_u64_u32,
                                 [](u32 a, u32 b, u64 c) {
                                   const u64 sum = u64{a} * b + c;
                                   return WideSum{sum, sum < c};
                                 }),
    row<U64Carry(I32, I32, I64)>(Op::v_mad_i64_i32,
                                 [](int32_t a, int32_t b, i64 c) {
                                   const i64 product = i64{a} * b;
                                   const u64 sum = static_cast<u64>(product) + static_cast<u64>(c);
                                   // Sign of the 65-bit sum: that of the operands if they agree, else that of the
                                   // 64-bit sum.
                                   const u32 negative = (product < 0) == (c < 0) ? c < 0 : static_cast<i64>(sum) < 0;
                                   return WideSum{sum, negative};
                                 }),
};

}  // namespace

RowTable carry_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
