// Operations on mixed types: v_fma_mix (each source f16 or f32) and the dot products.
#include <algorithm>

#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Kind = Operand::Kind;
using u32 = uint32_t;
using i32 = int32_t;
using i64 = int64_t;

constexpr SourceRule kWord{SourceRule::kValue, 1, 32, false};

constexpr auto kFuse = [](float a, float b, float c) { return fused(a, b, c); };
constexpr auto kNarrow = [](float a) { return a; };
using Fuse = Kernel<F32(F32, F32, F32), decltype(kFuse), kNone>;
using Narrow = Kernel<F16(F32), decltype(kNarrow), kNone>;

// Source k of v_fma_mix as floats: op_sel_hi says half, op_sel which.
void load_mixed(const Wave& wave, const Instruction& instruction, unsigned k, uint32_t* to) {
  alignas(64) VectorRegister temporary;
  const Operand& operand = instruction.src[k];
  const uint32_t* from = broadcast(wave, operand, kWord, temporary);
  const u32 keep = operand.absolute ? 0x7fffffffu : ~0u, flip = operand.negate ? 0x80000000u : 0;
  if ((instruction.op_sel_hi >> k) & 1) {
    const unsigned shift = (instruction.op_sel >> k) & 1 ? 16 : 0;
    const bool flush = !(wave.mode.denorm_f64_f16 & 1);
    for (unsigned l = 0; l < kLanes; ++l) {
      const float v = half_to_float((from[l] >> shift) & 0xffffu);
      to[l] = (bits(flush ? flush_half_denormal(v) : v) & keep) ^ flip;
    }
  } else {
    for (unsigned l = 0; l < kLanes; ++l) to[l] = (from[l] & keep) ^ flip;
  }
}

enum class MixResult { kFloat, kLow, kHigh };

// The sum is rounded to float first, then, for the half results, to half: LLVM's selection of these instructions
// implies that.
template <MixResult kResult>
void fma_mix(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t sources[3][kLanes];
  alignas(64) uint32_t sum[kLanes], half[kLanes];
  for (unsigned k = 0; k < 3; ++k) load_mixed(wave, instruction, k, sources[k]);
  const uint32_t* src[] = {sources[0], sources[1], sources[2]};
  Fuse::compute(sum, src, wave.mode);
  uint32_t* result = sum;
  uint32_t* dst = wave.vgpr[instruction.dst[0].index];
  if constexpr (kResult != MixResult::kFloat) {
    const uint32_t* unrounded[] = {sum};
    Narrow::compute(half, unrounded, wave.mode);
    result = half;
  }
  if (instruction.clamp) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const float v = kResult == MixResult::kFloat ? F32::load(result, l) : F16::load(result, l);
      if (is_nan(v) && !wave.mode.dx10_clamp) continue;
      const float clamped = v > 0 ? (v < 1 ? v : 1.0f) : 0.0f;
      kResult == MixResult::kFloat ? F32::store(result, l, clamped) : F16::store(result, l, clamped);
    }
  }
  if constexpr (kResult == MixResult::kLow) {
    for (unsigned l = 0; l < kLanes; ++l) result[l] = (result[l] & 0xffffu) | (dst[l] & 0xffff0000u);
  } else if constexpr (kResult == MixResult::kHigh) {
    for (unsigned l = 0; l < kLanes; ++l) result[l] = result[l] << 16 | (dst[l] & 0xffffu);
  }
  write_planes(dst, result, 1, wave.exec());
}

i64 saturate_signed(i64 v) {
  return std::clamp<i64>(v, INT32_MIN, INT32_MAX);
}
i64 saturate_unsigned(i64 v) {
  return std::min<i64>(v, UINT32_MAX);
}

// a . b + c over fields of kBits, exact, then wrapped or saturated.
template <unsigned kBits, bool kSigned>
i64 dot(u32 a, u32 b, u32 c) {
  i64 sum = kSigned ? i64{static_cast<i32>(c)} : i64{c};
  for (unsigned k = 0; k < 32; k += kBits) {
    if constexpr (kSigned) {
      sum += (i64{static_cast<i32>(a << (32 - kBits - k))} >> (32 - kBits)) *
             (static_cast<i32>(b << (32 - kBits - k)) >> (32 - kBits));
    } else {
      constexpr u32 mask = (1u << kBits) - 1;
      sum += i64{(a >> k) & mask} * ((b >> k) & mask);
    }
  }
  return sum;
}

// Both halves of each source, as op_sel (for the first product) and op_sel_hi (for the second) choose, negated as
// asked.
void choose_halves(uint32_t* to, const uint32_t* from, const Instruction& instruction, unsigned k) {
  if (instruction.encoding != Encoding::kVop3p) {
    __builtin_memcpy(to, from, sizeof(VectorRegister));
    return;
  }
  const unsigned low = (instruction.op_sel >> k) & 1 ? 16 : 0, high = (instruction.op_sel_hi >> k) & 1 ? 16 : 0;
  const u32 flip = ((instruction.neg_lo >> k) & 1 ? 0x8000u : 0) | ((instruction.neg_hi >> k) & 1 ? 0x80000000u : 0);
  for (unsigned l = 0; l < kLanes; ++l) to[l] = (((from[l] >> low) & 0xffffu) | (from[l] >> high) << 16) ^ flip;
}

template <unsigned kBits, bool kSigned>
void dot_lanes(bool saturates, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* r) {
  if (saturates) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const i64 sum = dot<kBits, kSigned>(a[l], b[l], c[l]);
      r[l] = static_cast<u32>(kSigned ? saturate_signed(sum) : saturate_unsigned(sum));
    }
  } else {
    for (unsigned l = 0; l < kLanes; ++l) r[l] = static_cast<u32>(dot<kBits, kSigned>(a[l], b[l], c[l]));
  }
}

// Two sums rounded to float, products exact. Denormals are flushed for any MODE: inputs and results, as AMD states for
// the f16 V_DOT2 of MI200.
float dot_halves(u32 a, u32 b, float c) {
  const auto half = [](u32 h) { return flush_half_denormal(half_to_float(h & 0xffffu)); };
  const float first = flush_denormal(flush_denormal(c) + half(a) * half(b));
  const float sum = first + half(a >> 16) * half(b >> 16);
  if (!is_nan(sum)) return flush_denormal(sum);
  for (float v : {half(a), half(b), half(a >> 16), half(b >> 16), c}) {
    if (is_nan(v)) return quiet(v);
  }
  return as_float(kDefaultNan32);
}
[[gnu::noinline]] void dot_half_lanes(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* r) {
  for (unsigned l = 0; l < kLanes; ++l) r[l] = bits(dot_halves(a[l], b[l], as_float(c[l])));
}

enum class Dot { kF16, kI16, kU16, kI8, kU8, kI4, kU4 };

template <Dot kDot, bool kAccumulates>
void execute_dot(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t whole[3][kLanes], chosen[2][kLanes], result[kLanes];
  const uint32_t* src[3];
  uint64_t write = wave.exec();
  if (instruction.is_dpp) {
    General general;
    FormRule rule;
    rule.sources = 1;
    prepare_sources(wave, instruction, rule, general);
    __builtin_memcpy(whole[0], general.src[0], sizeof whole[0]);
    src[0] = whole[0];
    write = general.write_mask;
  } else {
    src[0] = broadcast(wave, instruction.src[0], kWord, whole[0]);
  }
  src[1] = broadcast(wave, instruction.src[1], kWord, whole[1]);
  src[2] = broadcast(wave, kAccumulates ? instruction.dst[0] : instruction.src[2], kWord, whole[2]);
  if constexpr (kDot == Dot::kF16 || kDot == Dot::kI16 || kDot == Dot::kU16) {
    for (unsigned k = 0; k < 2; ++k) {
      choose_halves(chosen[k], src[k], instruction, k);
      src[k] = chosen[k];
    }
  }
  if constexpr (kDot == Dot::kF16) {
    if (wave.mode.round_f32) {
      RoundingScope scope(wave.mode.round_f32);
      dot_half_lanes(src[0], src[1], src[2], result);
    } else {
      dot_half_lanes(src[0], src[1], src[2], result);
    }
    if (instruction.clamp) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const float v = as_float(result[l]);
        if (is_nan(v) && !wave.mode.dx10_clamp) continue;
        result[l] = bits(v > 0 ? (v < 1 ? v : 1.0f) : 0.0f);
      }
    }
  } else {
    constexpr unsigned width = kDot == Dot::kI16 || kDot == Dot::kU16 ? 16
                               : kDot == Dot::kI8 || kDot == Dot::kU8 ? 8
                                                                      : 4;
    constexpr bool is_signed = kDot == Dot::kI16 || kDot == Dot::kI8 || kDot == Dot::kI4;
    dot_lanes<width, is_signed>(instruction.clamp, src[0], src[1], src[2], result);
  }
  write_planes(wave.vgpr[instruction.dst[0].index], result, 1, write);
}

// gfx1100: neg_lo says of either factor whether its fields are signed; the sum is.
template <unsigned kBits>
void execute_dot_of_either_sign(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t temporary[3][kLanes], result[kLanes];
  const uint32_t* src[3];
  for (unsigned k = 0; k < 3; ++k) src[k] = broadcast(wave, instruction.src[k], kWord, temporary[k]);
  const auto field = [&](u32 word, unsigned at, unsigned source) {
    const u32 top = word << (32 - kBits - at);
    return (instruction.neg_lo >> source & 1) ? i64{static_cast<i32>(top) >> (32 - kBits)} : i64{top >> (32 - kBits)};
  };
  for (unsigned l = 0; l < kLanes; ++l) {
    i64 sum = static_cast<i32>(src[2][l]);
    for (unsigned at = 0; at < 32; at += kBits) sum += field(src[0][l], at, 0) * field(src[1][l], at, 1);
    result[l] = static_cast<u32>(instruction.clamp ? saturate_signed(sum) : sum);
  }
  write_planes(wave.vgpr[instruction.dst[0].index], result, 1, wave.exec());
}

bool is_dot_of_either_sign(Op op) {
  return op == Op::v_dot4_i32_iu8 || op == Op::v_dot8_i32_iu4;
}

ExecuteFn execute_of(Op op) {
  switch (op) {
    case Op::v_dot2_f32_f16:
      return execute_dot<Dot::kF16, false>;
    case Op::v_dot2_i32_i16:
      return execute_dot<Dot::kI16, false>;
    case Op::v_dot2_u32_u16:
      return execute_dot<Dot::kU16, false>;
    case Op::v_dot4_i32_i8:
      return execute_dot<Dot::kI8, false>;
    case Op::v_dot4_u32_u8:
      return execute_dot<Dot::kU8, false>;
    case Op::v_dot8_i32_i4:
      return execute_dot<Dot::kI4, false>;
    case Op::v_dot8_u32_u4:
      return execute_dot<Dot::kU4, false>;
    case Op::v_dot2c_f32_f16:
      return execute_dot<Dot::kF16, true>;
    case Op::v_dot2c_i32_i16:
      return execute_dot<Dot::kI16, true>;
    case Op::v_dot4c_i32_i8:
      return execute_dot<Dot::kI8, true>;
    case Op::v_dot8c_i32_i4:
      return execute_dot<Dot::kI4, true>;
    case Op::v_dot4_i32_iu8:
      return execute_dot_of_either_sign<8>;
    case Op::v_dot8_i32_iu4:
      return execute_dot_of_either_sign<4>;
    case Op::v_fma_mix_f32:
      return fma_mix<MixResult::kFloat>;
    case Op::v_fma_mixlo_f16:
      return fma_mix<MixResult::kLow>;
    case Op::v_fma_mixhi_f16:
      return fma_mix<MixResult::kHigh>;
    default:
      return nullptr;
  }
}

}  // namespace

ExecuteFn select_mixed(const Instruction& instruction) {
  const ExecuteFn execute = execute_of(instruction.op);
  if (!execute || instruction.dst_count != 1 || instruction.dst[0].kind != Kind::kVgpr) return nullptr;
  const bool packed = instruction.encoding == Encoding::kVop3p;
  if (instruction.src_count != (packed ? 3 : 2)) return nullptr;
  if (instruction.is_sdwa || instruction.omod ||
      (instruction.is_dpp && (!is_known_dpp(instruction) || instruction.src[0].kind != Kind::kVgpr)))
    return nullptr;
  const bool mix = instruction.op == Op::v_fma_mix_f32 || instruction.op == Op::v_fma_mixlo_f16 ||
                   instruction.op == Op::v_fma_mixhi_f16;
  if (instruction.is_dpp && (mix || is_dot_of_either_sign(instruction.op))) return nullptr;
  for (unsigned k = 0; k < instruction.src_count; ++k) {
    const Operand& operand = instruction.src[k];
    if (!is_readable(operand) || ((operand.negate || operand.absolute) && !mix)) return nullptr;
  }
  // neg_hi, and neg_lo of the accumulator, mean nothing.
  if (is_dot_of_either_sign(instruction.op))
    return instruction.op_sel || instruction.neg_hi || (instruction.neg_lo & 4) ? nullptr : execute;
  // The accumulator of a dot product is one register: it has no halves to select.
  if (!mix && packed && ((instruction.op_sel | instruction.neg_lo | instruction.neg_hi) & 4)) return nullptr;
  const bool has_halves = instruction.op == Op::v_dot2_f32_f16 || instruction.op == Op::v_dot2_i32_i16 ||
                          instruction.op == Op::v_dot2_u32_u16;
  if (!mix && packed && !has_halves && (instruction.op_sel || instruction.neg_lo || instruction.neg_hi)) return nullptr;
  if ((instruction.neg_lo || instruction.neg_hi) && instruction.op != Op::v_dot2_f32_f16) return nullptr;
  return execute;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
