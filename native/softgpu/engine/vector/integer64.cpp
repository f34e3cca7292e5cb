// 64-bit moves and shifts. (Other 64-bit sums are pairs of 32-bit carries: carry.cpp.)
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using u32 = uint32_t;

// Shifts by 0 to 63, in halves. `n & 31` bits cross from one half into the other; from 32 on a half is moved whole.
KERNLOOP_LANE constexpr Dwords shift_left(Dwords v, u32 n) {
  const u32 s = n & 31, low = v.low << s, high = v.high << s | (v.low >> 1) >> (31 - s);
  return n & 32 ? Dwords{0, low} : Dwords{low, high};
}
KERNLOOP_LANE constexpr Dwords shift_right(Dwords v, u32 n, u32 high, u32 filler) {
  const u32 s = n & 31, low = v.low >> s | (v.high << 1) << (31 - s);
  return n & 32 ? Dwords{high, filler} : Dwords{low, high};
}

// By the same number of bits in all lanes, which is how addresses are computed.
template <class Shift>
void shift_left_lean(Wave& wave, const Instruction& instruction) {
  const Operand& count = instruction.src[0];
  if (count.kind == Operand::Kind::kVgpr) return execute_lean<Shift>(wave, instruction);
  const u32 n = (count.kind == Operand::Kind::kConstant ? static_cast<u32>(count.value) : wave.sgpr[count.index]) & 63;
  if (n == 0 || n >= 32) return execute_lean<Shift>(wave, instruction);
  const uint64_t exec = wave.exec();
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    const u32* from = wave.vgpr[instruction.src[1].index] + first;
    u32* to = wave.vgpr[instruction.dst[0].index] + first;
    alignas(64) u32 low[kHalf], high[kHalf];
    for (unsigned l = 0; l < kHalf; ++l) {
      low[l] = from[l] << n;
      high[l] = from[kLanes + l] << n | from[l] >> (32 - n);
    }
    const auto active = static_cast<u32>(exec >> first);
    if (active == 0) continue;
    write_half(to, low, active);
    write_half(to + kLanes, high, active);
  }
}
template <Op op>
constexpr Row shift_left_row() {
  constexpr auto shift = [](u32 a, Dwords b) { return shift_left(b, a); };
  using Shift = Kernel<Pair(U32, Pair), decltype(shift), kNone>;
  Row r = row<op, Pair(U32, Pair)>(shift);
  r.lean = shift_left_lean<Shift>;
  return r;
}

constexpr Row kRows[] = {
    row<Op::v_mov_b64, Pair(Pair)>([](Dwords a) { return a; }),
    row<Op::v_lshl_add_u64, U64(U64, U32, U64)>([](uint64_t a, u32 n, uint64_t b) { return (a << (n & 7)) + b; }),
    shift_left_row<Op::v_lshlrev_b64>(),
    row<Op::v_lshrrev_b64, Pair(U32, Pair)>([](u32 a, Dwords b) { return shift_right(b, a, b.high >> (a & 31), 0); }),
    row<Op::v_ashrrev_i64, Pair(U32, Pair)>([](u32 a, Dwords b) {
      const auto high = static_cast<int32_t>(b.high);
      return shift_right(b, a, static_cast<u32>(high >> (a & 31)), static_cast<u32>(high >> 31));
    }),
};

}  // namespace

RowTable integer64_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
