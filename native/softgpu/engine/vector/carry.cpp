// Integer operations that also give a bit a lane. The bit of a lane that EXEC disables is 0.
#include <utility>

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

enum class Carry { kAdd, kSubtract, kSubtractReversed };

#ifdef __AVX512F__
// 16 lanes and the bits that they carry out; `in` has no part in operations without a carry.
template <bool kCarriesIn, Carry kCarry>
KERNLOOP_LANE __m512i sum_of_group(__m512i a, __m512i b, __mmask16 in, __mmask16* out) {
  const __m512i one = _mm512_set1_epi32(1), zero = _mm512_setzero_si512();
  if constexpr (kCarry == Carry::kAdd) {
    const __m512i sum = _mm512_add_epi32(a, b);
    *out = _mm512_cmplt_epu32_mask(sum, a);
    if constexpr (!kCarriesIn) return sum;
    const __m512i r = _mm512_mask_add_epi32(sum, in, sum, one);
    *out = static_cast<__mmask16>(*out | _mm512_mask_cmpeq_epi32_mask(in, r, zero));
    return r;
  } else {
    const __m512i difference = _mm512_sub_epi32(a, b);
    *out = _mm512_cmplt_epu32_mask(a, b);
    if constexpr (!kCarriesIn) return difference;
    *out = static_cast<__mmask16>(*out | _mm512_mask_cmpeq_epi32_mask(in, difference, zero));
    return _mm512_mask_sub_epi32(difference, in, difference, one);
  }
}

// Carries stay in mask registers: a pass over the lanes instead of three.
template <class K, Carry kCarry>
void execute_carry(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t temporary[2][kGroup];
  LeanSource first = lean_value(wave, instruction.src[0], temporary[0]),
             second = lean_value(wave, instruction.src[1], temporary[1]);
  if constexpr (kCarry == Carry::kSubtractReversed) std::swap(first, second);
  const uint64_t exec = wave.exec();
  uint64_t in = 0, out = 0;
  if constexpr (K::kSources == 3) {
    const Operand& mask = instruction.src[2];
    in = mask.kind == Operand::Kind::kSgpr ? wave.sgpr64(mask.index) : mask.value;
  }
  uint32_t* const to = wave.vgpr[instruction.dst[0].index];
  for (unsigned l = 0; l < kLanes; l += kHalf) {
    const auto active = static_cast<uint32_t>(exec >> l);
    if (active == 0) [[unlikely]]
      continue;
    alignas(64) uint32_t result[kHalf];
    __mmask16 carried[2];
    for (unsigned part = 0; part < 2; ++part) {
      const unsigned group = l / kGroup + part;
      const __m512i r = sum_of_group<K::kSources == 3, kCarry>(
          _mm512_loadu_si512(first.lanes + group * first.step), _mm512_loadu_si512(second.lanes + group * second.step),
          static_cast<__mmask16>(in >> (group * kGroup)), &carried[part]);
      _mm512_store_si512(result + part * kGroup, r);
    }
    write_half(to + l, result, active);
    out |= static_cast<uint64_t>(_mm512_kunpackw(carried[1], carried[0])) << l;
  }
  wave.set_sgpr64(instruction.dst[1].index, out & exec);
}
#endif

// A row whose lean form is the one above, if the host has it.
template <Op op, class Signature, Carry kCarry, class Lambda>
constexpr Row carry_row(Lambda lambda) {
  Row r = row<op, Signature>(lambda);
#ifdef __AVX512F__
  r.lean = execute_carry<Kernel<Signature, Lambda, kNone>, kCarry>;
#endif
  return r;
}

constexpr Row kRows[] = {
    carry_row<Op::v_add_co_u32, U32Carry(U32, U32), Carry::kAdd>([](u32 a, u32 b) { return add(a, b, 0); }),
    carry_row<Op::v_sub_co_u32, U32Carry(U32, U32), Carry::kSubtract>([](u32 a, u32 b) { return subtract(a, b, 0); }),
    carry_row<Op::v_subrev_co_u32, U32Carry(U32, U32), Carry::kSubtractReversed>(
        [](u32 a, u32 b) { return subtract(b, a, 0); }),
    carry_row<Op::v_addc_co_u32, U32Carry(U32, U32, Mask), Carry::kAdd>(
        [](u32 a, u32 b, u32 c) { return add(a, b, c); }),
    carry_row<Op::v_subb_co_u32, U32Carry(U32, U32, Mask), Carry::kSubtract>(
        [](u32 a, u32 b, u32 c) { return subtract(a, b, c); }),
    carry_row<Op::v_subbrev_co_u32, U32Carry(U32, U32, Mask), Carry::kSubtractReversed>(
        [](u32 a, u32 b, u32 c) { return subtract(b, a, c); }),
    row<Op::v_mad_u64_u32, PairCarry(U32, U32, Pair)>([](u32 a, u32 b, Dwords c) {
      const u32 low = a * b, high = static_cast<u32>((uint64_t{a} * b) >> 32);
      return add(Dwords{low, high}, c, 0, 0);
    }),
    row<Op::v_mad_i64_i32, PairCarry(I32, I32, Pair)>([](i32 a, i32 b, Dwords c) {
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
