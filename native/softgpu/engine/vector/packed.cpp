// VOP3P: one operation on both halves of its operands. op_sel chooses each source's half for the low result, op_sel_hi
// for the high one; neg_lo and neg_hi negate accordingly.
#include <algorithm>

#include "softgpu/engine/vector/min_max.h"
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Kind = Operand::Kind;
using Compute = void (*)(uint32_t* dst, const uint32_t* const* src, const Mode& mode);

// The half of source `k` that each half of the result reads, and whether it is negated. v_pk_fmac_f16 (VOP2) has no
// fields for it.
struct Halves {
  unsigned select, negate;
};
Halves halves_of(const Instruction& instruction, unsigned half) {
  if (instruction.encoding != Encoding::kVop3p) return {half ? 7u : 0u, 0};
  return half ? Halves{instruction.op_sel_hi, instruction.neg_hi} : Halves{instruction.op_sel, instruction.neg_lo};
}

void take_half(uint32_t* to, const uint32_t* from, bool high, bool negate) {
  const unsigned shift = high ? 16 : 0;
  const uint32_t flip = negate ? 0x8000u : 0;
  for (unsigned l = 0; l < kLanes; ++l) to[l] = ((from[l] >> shift) & 0xffffu) ^ flip;
}

template <class T>
void clamp_plane(uint32_t* plane, bool dx10) {
  for (unsigned l = 0; l < kLanes; ++l) {
    const float v = T::load(plane, l);
    if (is_nan(v) && !dx10) continue;
    T::store(plane, l, v > 0 ? (v < 1 ? v : 1.0f) : 0.0f);
  }
}

constexpr SourceRule kWord{SourceRule::kValue, 1, 32, false};

// One register of a pair; constants are only read for the lower one.
const uint32_t* register_of_pair(const Wave& wave, const Operand& pair, unsigned upper, uint32_t* temporary) {
  if (pair.kind == Kind::kVgpr) return wave.vgpr[pair.index + upper];
  fill_plane(temporary, pair.kind == Kind::kSgpr ? wave.sgpr[pair.index + upper]
                                                 : static_cast<uint32_t>(scalar_value(wave, pair)));
  return temporary;
}

template <Compute kCompute, unsigned kSources, bool kFloat, bool kAccumulates>
void execute_halves(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t whole[kSources][kLanes], part[kSources][kLanes], result[2][kLanes];
  const uint32_t *from[kSources], *src[kSources];
  for (unsigned k = 0; k < kSources; ++k) {
    const Operand& operand = kAccumulates && k + 1 == kSources ? instruction.dst[0] : instruction.src[k];
    from[k] = broadcast(wave, operand, kWord, whole[k]);
    src[k] = part[k];
  }
  for (unsigned half = 0; half < 2; ++half) {
    const Halves h = halves_of(instruction, half);
    for (unsigned k = 0; k < kSources; ++k) take_half(part[k], from[k], (h.select >> k) & 1, (h.negate >> k) & 1);
    kCompute(result[half], src, wave.mode);
    if (kFloat && instruction.clamp) clamp_plane<F16>(result[half], wave.mode.dx10_clamp);
  }
  for (unsigned l = 0; l < kLanes; ++l) result[0][l] |= result[1][l] << 16;
  write_planes(wave.vgpr[instruction.dst[0].index], result[0], 1, wave.exec());
}

template <Compute kCompute, unsigned kSources>
void execute_pair(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t part[kSources][kLanes], result[2 * kLanes];
  const uint32_t* src[kSources];
  for (unsigned half = 0; half < 2; ++half) {
    const Halves h = halves_of(instruction, half);
    for (unsigned k = 0; k < kSources; ++k) {
      src[k] = register_of_pair(wave, instruction.src[k], (h.select >> k) & 1, part[k]);
      if (!((h.negate >> k) & 1)) continue;
      for (unsigned l = 0; l < kLanes; ++l) part[k][l] = src[k][l] ^ 0x80000000u;
      src[k] = part[k];
    }
    kCompute(result + half * kLanes, src, wave.mode);
    if (instruction.clamp) clamp_plane<F32>(result + half * kLanes, wave.mode.dx10_clamp);
  }
  write_planes(wave.vgpr[instruction.dst[0].index], result, 2, wave.exec());
}

// Each half of the result comes from one source.
void move_pair(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t temporary[2][kLanes];
  uint32_t* dst = wave.vgpr[instruction.dst[0].index];
  const uint32_t* low = register_of_pair(wave, instruction.src[0], instruction.op_sel & 1, temporary[0]);
  const uint32_t* high = register_of_pair(wave, instruction.src[1], instruction.op_sel >> 1 & 1, temporary[1]);
  if (high == dst) {
    __builtin_memcpy(temporary[1], high, sizeof temporary[1]);
    high = temporary[1];
  }
  if (low != dst) write_planes(dst, low, 1, wave.exec());
  if (high != dst + kLanes) write_planes(dst + kLanes, high, 1, wave.exec());
}

struct PackedRow {
  Op op;
  ExecuteFn execute;
  ExecuteFn clamped;  // nullptr: clamp is refused
  unsigned sources;
  bool wide;  // halves are registers
  FormRule rule;
};

// The rule of each half.
template <class K>
constexpr FormRule rule_of_halves(RowShape shape) {
  FormRule rule = K::rule();
  rule.shape = shape;
  return rule;
}

template <Op op, class Signature, unsigned kFlags = kNone, class Lambda>
constexpr PackedRow float_halves(Lambda) {
  using K = Kernel<Signature, Lambda, kFlags>;
  name_lanes<op, K>();
  constexpr bool accumulates = (kFlags & kAccumulate) != 0;
  constexpr ExecuteFn execute = execute_halves<K::compute, K::kSources, true, accumulates>;
  return {op, execute, execute, K::kSources - accumulates, false, rule_of_halves<K>(RowShape::kHalves)};
}
template <Op op, class Signature, class Lambda>
constexpr PackedRow integer_halves(Lambda) {
  using K = Kernel<Signature, Lambda, kNone>;
  name_lanes<op, K>();
  return {op,      execute_halves<K::compute, K::kSources, false, false>,
          nullptr, K::kSources,
          false,   rule_of_halves<K>(RowShape::kHalves)};
}
template <Op op, class Signature, class Lambda, class Saturating>
constexpr PackedRow integer_halves(Lambda, Saturating) {
  using K = Kernel<Signature, Lambda, kNone>;
  name_lanes<op, K>();
  using Clamped = Kernel<Signature, Saturating, kNone>;
  return {op,
          execute_halves<K::compute, K::kSources, false, false>,
          execute_halves<Clamped::compute, K::kSources, false, false>,
          K::kSources,
          false,
          rule_of_halves<K>(RowShape::kHalves)};
}
template <Op op, class Signature, class Lambda>
constexpr PackedRow float_pair(Lambda) {
  using K = Kernel<Signature, Lambda, kNone>;
  name_lanes<op, K>();
  return {op,   execute_pair<K::compute, K::kSources>, execute_pair<K::compute, K::kSources>, K::kSources,
          true, rule_of_halves<K>(RowShape::kPair)};
}

using u32 = uint32_t;
using i32 = int32_t;

constexpr i32 saturate_i16(int64_t v) {
  return static_cast<i32>(std::clamp<int64_t>(v, INT16_MIN, INT16_MAX));
}
constexpr u32 saturate_u16(int64_t v) {
  return static_cast<u32>(std::clamp<int64_t>(v, 0, UINT16_MAX));
}

constexpr PackedRow kRows[] = {
    float_halves<Op::v_pk_add_f16, F16(F16, F16)>([](float a, float b) { return a + b; }),
    float_halves<Op::v_pk_mul_f16, F16(F16, F16)>([](float a, float b) { return a * b; }),
    float_halves<Op::v_pk_min_f16, F16(F16, F16), kKeepNan>(
        [](const Mode& m, float a, float b) { return minimum(a, b, m.ieee); }),
    float_halves<Op::v_pk_max_f16, F16(F16, F16), kKeepNan>(
        [](const Mode& m, float a, float b) { return maximum(a, b, m.ieee); }),
    float_halves<Op::v_pk_fma_f16, F16(F16, F16, F16)>(
        [](const Mode& m, float a, float b, float c) { return fused_half(m, a, b, c); }),
    float_halves<Op::v_pk_fmac_f16, F16(F16, F16, F16), kAccumulate>(
        [](const Mode& m, float a, float b, float c) { return fused_half(m, a, b, c); }),
    integer_halves<Op::v_pk_mad_i16, I16(I16, I16, I16)>(
        [](i32 a, i32 b, i32 c) { return a * b + c; },
        [](i32 a, i32 b, i32 c) { return saturate_i16(int64_t{a} * b + c); }),
    integer_halves<Op::v_pk_mad_u16, U16(U16, U16, U16)>(
        [](u32 a, u32 b, u32 c) { return a * b + c; },
        [](u32 a, u32 b, u32 c) { return saturate_u16(int64_t{a} * b + c); }),
    integer_halves<Op::v_pk_mul_lo_u16, U16(U16, U16)>([](u32 a, u32 b) { return a * b; },
                                                       [](u32 a, u32 b) { return saturate_u16(int64_t{a} * b); }),
    integer_halves<Op::v_pk_add_i16, I16(I16, I16)>([](i32 a, i32 b) { return a + b; },
                                                    [](i32 a, i32 b) { return saturate_i16(int64_t{a} + b); }),
    integer_halves<Op::v_pk_sub_i16, I16(I16, I16)>([](i32 a, i32 b) { return a - b; },
                                                    [](i32 a, i32 b) { return saturate_i16(int64_t{a} - b); }),
    integer_halves<Op::v_pk_add_u16, U16(U16, U16)>([](u32 a, u32 b) { return a + b; },
                                                    [](u32 a, u32 b) { return saturate_u16(int64_t{a} + b); }),
    integer_halves<Op::v_pk_sub_u16, U16(U16, U16)>([](u32 a, u32 b) { return a - b; },
                                                    [](u32 a, u32 b) { return saturate_u16(int64_t{a} - b); }),
    integer_halves<Op::v_pk_lshlrev_b16, U16(U16, U16)>([](u32 a, u32 b) { return b << (a & 15); }),
    integer_halves<Op::v_pk_lshrrev_b16, U16(U16, U16)>([](u32 a, u32 b) { return b >> (a & 15); }),
    integer_halves<Op::v_pk_ashrrev_i16, I16(U16, I16)>([](u32 a, i32 b) { return b >> (a & 15); }),
    integer_halves<Op::v_pk_max_i16, I16(I16, I16)>([](i32 a, i32 b) { return a > b ? a : b; }),
    integer_halves<Op::v_pk_min_i16, I16(I16, I16)>([](i32 a, i32 b) { return a < b ? a : b; }),
    integer_halves<Op::v_pk_max_u16, U16(U16, U16)>([](u32 a, u32 b) { return a > b ? a : b; }),
    integer_halves<Op::v_pk_min_u16, U16(U16, U16)>([](u32 a, u32 b) { return a < b ? a : b; }),
    float_pair<Op::v_pk_add_f32, F32(F32, F32)>([](float a, float b) { return a + b; }),
    float_pair<Op::v_pk_mul_f32, F32(F32, F32)>([](float a, float b) { return a * b; }),
    float_pair<Op::v_pk_fma_f32, F32(F32, F32, F32)>([](float a, float b, float c) { return fused(a, b, c); }),
    {Op::v_pk_mov_b32, move_pair, nullptr, 2, true, {}},
};

}  // namespace

const FormRule* packed_rule(Op op) {
  for (const PackedRow& row : kRows)
    if (row.op == op && row.rule.sources != 0) return &row.rule;
  return nullptr;
}

ExecuteFn select_packed(const Instruction& instruction) {
  for (const PackedRow& row : kRows) {
    if (row.op != instruction.op) continue;
    if (instruction.src_count != row.sources || instruction.dst_count != 1 || instruction.dst[0].kind != Kind::kVgpr)
      return nullptr;
    if (instruction.is_sdwa || instruction.is_dpp || instruction.omod) return nullptr;
    for (unsigned k = 0; k < row.sources; ++k) {
      const Operand& operand = instruction.src[k];
      if (!is_readable(operand) || operand.negate || operand.absolute) return nullptr;
      // The upper register of a constant is not documented: compilers select the lower one, except for 0, which is 0 in
      // both.
      const bool is_zero = operand.kind == Kind::kConstant && operand.value == 0;
      const bool upper = ((instruction.op_sel | (row.op == Op::v_pk_mov_b32 ? 0 : instruction.op_sel_hi)) >> k) & 1;
      if (row.wide && upper && !is_zero && operand.kind != Kind::kVgpr && operand.kind != Kind::kSgpr) return nullptr;
    }
    return instruction.clamp ? row.clamped : row.execute;
  }
  return nullptr;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
