#include "softgpu/engine/vector/operands.h"

#include <immintrin.h>

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Kind = Operand::Kind;

constexpr unsigned kVccz = 251, kExecz = 252, kScc = 253;

enum Dpp : unsigned {
  kQuadPerm = 0x000,
  kQuadPermLast = 0x0ff,
  kRowShl = 0x100,
  kRowShr = 0x110,
  kRowRor = 0x120,
  kWaveShl = 0x130,
  kWaveRol = 0x134,
  kWaveShr = 0x138,
  kWaveRor = 0x13c,
  kRowMirror = 0x140,
  kRowHalfMirror = 0x141,
  kRowBcast15 = 0x142,
  kRowBcast31 = 0x143,
  kRowNewBcast = 0x150,
};
constexpr unsigned kNoLane = 64;

// The lane that `lane` reads, or kNoLane.
unsigned dpp_source(unsigned control, unsigned lane) {
  const unsigned row = lane & ~15u, in_row = lane & 15, n = control & 15;
  if (control <= kQuadPermLast) return (lane & ~3u) | ((control >> (2 * (lane & 3))) & 3);
  switch (control & ~15u) {
    case kRowShl:
      return in_row + n < 16 ? lane + n : kNoLane;
    case kRowShr:
      return in_row >= n ? lane - n : kNoLane;
    case kRowRor:
      return row | ((in_row - n) & 15);
    case kRowNewBcast:
      return row | n;
    default:
      break;
  }
  switch (control) {
    case kWaveShl:
      return lane + 1 < kLanes ? lane + 1 : kNoLane;
    case kWaveRol:
      return (lane + 1) % kLanes;
    case kWaveShr:
      return lane >= 1 ? lane - 1 : kNoLane;
    case kWaveRor:
      return (lane + kLanes - 1) % kLanes;
    case kRowMirror:
      return row | (15 - in_row);
    case kRowHalfMirror:
      return (lane & ~7u) | (7 - (lane & 7));
    case kRowBcast15:
      return row ? row - 1 : kNoLane;
    case kRowBcast31:
      return lane >= 32 ? 31 : kNoLane;
    default:
      return kNoLane;
  }
}

void fill(uint32_t* plane, uint32_t value) {
  for (unsigned l = 0; l < kLanes; ++l) plane[l] = value;
}

void expand_mask(uint32_t* plane, uint64_t mask) {
  const uint32_t low = static_cast<uint32_t>(mask), high = static_cast<uint32_t>(mask >> 32);
  for (unsigned l = 0; l < 32; ++l) plane[l] = (low >> l) & 1;
  for (unsigned l = 0; l < 32; ++l) plane[32 + l] = (high >> l) & 1;
}

const VectorRegister* register_file(const Wave& wave, const Operand& operand) {
  return operand.kind == Kind::kAgpr ? wave.agpr : wave.vgpr;
}

// SDWA's and op_sel's selection of a byte or word, extended to 32 bits. `select`: 0..3 byte, 4..5 word, 6 dword.
void select_part(uint32_t* plane, const uint32_t* from, unsigned select, bool sign_extend) {
  if (select >= 6) {
    if (plane != from) __builtin_memcpy(plane, from, sizeof(VectorRegister));
    return;
  }
  const unsigned shift = select < 4 ? 8 * select : 16 * (select - 4), width = select < 4 ? 8 : 16, up = 32 - width;
  if (sign_extend) {
    for (unsigned l = 0; l < kLanes; ++l) {
      plane[l] = static_cast<uint32_t>(static_cast<int32_t>((from[l] >> shift) << up) >> up);
    }
  } else {
    for (unsigned l = 0; l < kLanes; ++l) plane[l] = ((from[l] >> shift) << up) >> up;
  }
}

void permute(uint32_t* plane, const uint32_t* from, const uint8_t (&source_lane)[kLanes]) {
  alignas(64) uint32_t moved[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) moved[l] = source_lane[l] == kNoLane ? 0 : from[source_lane[l]];
  __builtin_memcpy(plane, moved, sizeof moved);
}

void apply_sign(uint32_t* plane, uint32_t sign_bit, bool absolute, bool negate) {
  const uint32_t keep = absolute ? ~sign_bit : ~0u, flip = negate ? sign_bit : 0;
  for (unsigned l = 0; l < kLanes; ++l) plane[l] = (plane[l] & keep) ^ flip;
}

// omod and clamp on one result, as MODE has it (ISA "Output modifiers"): omod acts only without IEEE mode and with
// output denormals flushed, and gives no -0; clamp bounds to [0, 1] and takes NaN to 0 under DX10_CLAMP.
float modify(float v, unsigned omod, bool clamp, bool dx10) {
  if (omod) {
    v = flush_denormal(v * (omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f));
    if (v == 0) v = 0;
  }
  if (clamp) {
    if (is_nan(v)) return dx10 ? 0.0f : v;
    v = v > 0 ? (v < 1 ? v : 1.0f) : 0.0f;
  }
  return v;
}
double modify(double v, unsigned omod, bool clamp, bool dx10) {
  if (omod) {
    v = flush_denormal(v * (omod == 1 ? 2.0 : omod == 2 ? 4.0 : 0.5));
    if (v == 0) v = 0;
  }
  if (clamp) {
    if (is_nan(v)) return dx10 ? 0.0 : v;
    v = v > 0 ? (v < 1 ? v : 1.0) : 0.0;
  }
  return v;
}
// The bits themselves where nothing applies: a NaN must come out as it was.
void modify_half(uint32_t& h, unsigned omod, bool clamp, bool dx10) {
  float v = half_to_float(h);
  if (omod && !is_nan(v)) {
    v = half_to_float(float_to_half(v * (omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f)));
    v = flush_half_denormal(v);
    if (v == 0) v = 0;
  }
  if (clamp) {
    if (is_nan(v)) {
      if (dx10) h = 0;
      return;
    }
    v = v > 0 ? (v < 1 ? v : 1.0f) : 0.0f;
  }
  if (!is_nan(v)) h = float_to_half(v);
}

}  // namespace

uint64_t gather_mask(const uint32_t* plane) {
  uint64_t mask = 0;
#ifdef __AVX2__
  for (unsigned l = 0; l < kLanes; l += 8) {
    const __m256 v = _mm256_loadu_ps(reinterpret_cast<const float*>(plane + l));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(v))) << l;
  }
#else
  for (unsigned l = 0; l < kLanes; l += 4) {
    const __m128 v = _mm_loadu_ps(reinterpret_cast<const float*>(plane + l));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_ps(v))) << l;
  }
#endif
  return mask;
}

bool is_readable(const Operand& operand) {
  switch (operand.kind) {
    case Kind::kSgpr:
    case Kind::kVgpr:
    case Kind::kConstant:
      return true;
    case Kind::kSpecial:
      return operand.index == kVccz || operand.index == kExecz || operand.index == kScc;
    default:
      return false;
  }
}

uint64_t scalar_value(const Wave& wave, const Operand& operand) {
  switch (operand.kind) {
    case Kind::kSgpr:
      return operand.dwords >= 2 ? wave.sgpr64(operand.index) : wave.sgpr[operand.index];
    case Kind::kConstant:
      return operand.value;
    case Kind::kSpecial:
      if (operand.index == kVccz) return wave.vcc() == 0;
      if (operand.index == kExecz) return wave.exec() == 0;
      return wave.scc;
    default:
      return 0;
  }
}

const uint32_t* broadcast(const Wave& wave, const Operand& operand, const SourceRule& rule, uint32_t* temporary) {
  if (rule.kind == SourceRule::kMask) {
    expand_mask(temporary, operand.kind == Kind::kSgpr ? wave.sgpr64(operand.index) : operand.value);
    return temporary;
  }
  if (operand.kind == Kind::kVgpr || operand.kind == Kind::kAgpr) return register_file(wave, operand)[operand.index];
  if (operand.kind == Kind::kSgpr) {
    // The type says how many registers are read: an operand may be decoded wider or narrower.
    for (unsigned k = 0; k < rule.dwords; ++k) fill(temporary + k * kLanes, wave.sgpr[operand.index + k]);
    return temporary;
  }
  const uint64_t value = scalar_value(wave, operand);
  for (unsigned k = 0; k < rule.dwords; ++k)
    fill(temporary + k * kLanes, k < 2 ? static_cast<uint32_t>(value >> (32 * k)) : 0);
  return temporary;
}

bool is_known_dpp(const Instruction& instruction) {
  const unsigned control = instruction.dpp_ctrl, n = control & 15;
  if (control <= kQuadPermLast) return true;
  switch (control & ~15u) {
    case kRowShl:
    case kRowShr:
    case kRowRor:
      return n != 0;
    case kRowNewBcast:
      return true;
    default:
      break;
  }
  switch (control) {
    case kWaveShl:
    case kWaveRol:
    case kWaveShr:
    case kWaveRor:
    case kRowMirror:
    case kRowHalfMirror:
    case kRowBcast15:
    case kRowBcast31:
      return true;
    default:
      return false;
  }
}

uint64_t dpp_lanes(const Instruction& instruction, uint64_t exec, uint8_t (&source_lane)[kLanes]) {
  uint64_t write = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    unsigned from = dpp_source(instruction.dpp_ctrl, l);
    // A lane that EXEC disables has nothing to give.
    if (from != kNoLane && !((exec >> from) & 1)) from = kNoLane;
    source_lane[l] = static_cast<uint8_t>(from);
    const bool enabled = ((instruction.row_mask >> (l >> 4)) & 1) && ((instruction.bank_mask >> ((l >> 2) & 3)) & 1);
    if (enabled && (from != kNoLane || instruction.bound_ctrl)) write |= 1ull << l;
  }
  return write & exec;
}

void prepare_sources(const Wave& wave, const Instruction& instruction, const FormRule& rule, General& general) {
  general.write_mask = wave.exec();
  uint8_t source_lane[kLanes];
  if (instruction.is_dpp) general.write_mask = dpp_lanes(instruction, wave.exec(), source_lane);
  for (unsigned k = 0; k < rule.sources; ++k) {
    const SourceRule& source = rule.source[k];
    uint32_t* own = general.source[k];
    const Operand& operand = source_operand(rule, instruction, k);
    const uint32_t* from = broadcast(wave, operand, source, own);
    general.src[k] = from;
    if (source.kind == SourceRule::kMask || k >= rule.explicit_sources()) continue;
    unsigned select = 6;
    if (instruction.is_sdwa && k < 2) select = operand.sdwa_select;
    if (instruction.encoding == Encoding::kVop3 && source.bits == 16 && ((instruction.op_sel >> k) & 1)) select = 5;
    const bool permuted = instruction.is_dpp && k == 0;
    const bool extended = select != 6 || operand.sign_extend;
    if (!permuted && !extended && !operand.absolute && !operand.negate) continue;
    if (from != own) __builtin_memcpy(own, from, source.dwords * sizeof(VectorRegister));
    general.src[k] = own;
    if (permuted) {
      for (unsigned d = 0; d < source.dwords; ++d) permute(own + d * kLanes, own + d * kLanes, source_lane);
    }
    if (extended) select_part(own, own, select, operand.sign_extend);
    if (operand.absolute || operand.negate) {
      const uint32_t sign = source.bits == 16 ? 0x8000u : 0x80000000u;
      apply_sign(own + (source.dwords - 1) * kLanes, sign, operand.absolute, operand.negate);
    }
  }
}

void finish_result(Wave& wave, const Instruction& instruction, const FormRule& rule, General& general) {
  uint32_t* r = general.result;
  const Mode& mode = wave.mode;
  if (rule.float_result && (instruction.omod || instruction.clamp)) {
    const unsigned denormals = rule.f32_result ? mode.denorm_f32 : mode.denorm_f64_f16;
    const unsigned omod = mode.ieee || (denormals & 2) ? 0 : instruction.omod;
    for (unsigned l = 0; l < kLanes; ++l) {
      if (rule.result_bits == 16) {
        modify_half(r[l], omod, instruction.clamp, mode.dx10_clamp);
      } else if (rule.result_bits == 64) {
        F64::store(r, l, modify(F64::load(r, l), omod, instruction.clamp, mode.dx10_clamp));
      } else {
        F32::store(r, l, modify(F32::load(r, l), omod, instruction.clamp, mode.dx10_clamp));
      }
    }
  }
  uint32_t* dst = wave.vgpr[instruction.dst[0].index];
  if (instruction.is_sdwa && instruction.dst_sel != 6) {
    const unsigned select = instruction.dst_sel, shift = select < 4 ? 8 * select : 16 * (select - 4),
                   width = select < 4 ? 8 : 16;
    const uint32_t field = ((1u << width) - 1) << shift;
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint32_t placed = (r[l] << shift) & field;
      uint32_t rest = 0;
      if (instruction.dst_unused == 2) {
        rest = dst[l] & ~field;
      } else if (instruction.dst_unused == 1 && shift + width < 32) {
        // Copies of the field's sign bit above it, zeros below.
        rest = (placed >> (shift + width - 1)) ? ~0u << (shift + width) : 0;
      }
      r[l] = placed | rest;
    }
  } else if (instruction.encoding == Encoding::kVop3 && rule.result_bits == 16 && rule.result_dwords == 1) {
    if (instruction.op_sel & 8) {
      for (unsigned l = 0; l < kLanes; ++l) r[l] = (r[l] << 16) | (dst[l] & 0xffffu);
    } else if (rule.preserve_high) {
      for (unsigned l = 0; l < kLanes; ++l) r[l] = (r[l] & 0xffffu) | (dst[l] & 0xffff0000u);
    }
  }
  write_planes(dst, r, rule.result_dwords, general.write_mask);
  if (rule.has_bit) {
    wave.set_sgpr64(instruction.dst[1].index, gather_mask(r + rule.result_dwords * kLanes) & general.write_mask);
  }
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
