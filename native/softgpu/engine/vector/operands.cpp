#include "softgpu/engine/vector/operands.h"

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
  kRowNewBcast = 0x150,  // RDNA calls it row_share
  kRowXmask = 0x160,     // RDNA
};
constexpr unsigned kNoLane = 64, kDppControls = 0x170;

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
    case kRowXmask:
      return row | (in_row ^ n);
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

// Lanes without a source read 0.
void permute(uint32_t* plane, const uint32_t* from, const DppLanes& lanes) {
  for (unsigned l = 0; l < kLanes; ++l) plane[l] = from[lanes.source[l]];
  if (lanes.valid == ~0ull) return;
  for (unsigned l = 0; l < kLanes; ++l) plane[l] &= 0u - static_cast<uint32_t>((lanes.valid >> l) & 1);
}

// omod and clamp on one result, by MODE (ISA "Output modifiers"): omod acts only without IEEE mode and with output
// denormals flushed, and gives no -0; clamp bounds to [0, 1] and takes NaN to 0 under DX10_CLAMP.
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
// The unchanged bits if nothing applies: a NaN must stay as it was.
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

const uint32_t* broadcast_scalar(const Wave& wave, const Operand& operand, unsigned dwords, uint32_t* temporary) {
  if (operand.kind == Kind::kAgpr) return wave.agpr[operand.index];
  if (operand.kind == Kind::kSgpr) {
    // The type says how many registers are read: an operand may be decoded wider or narrower.
    for (unsigned k = 0; k < dwords; ++k) fill_plane(temporary + k * kLanes, wave.sgpr[operand.index + k]);
    return temporary;
  }
  const uint64_t value = scalar_value(wave, operand);
  for (unsigned k = 0; k < dwords; ++k)
    fill_plane(temporary + k * kLanes, k < 2 ? static_cast<uint32_t>(value >> (32 * k)) : 0);
  return temporary;
}

const uint32_t* with_sign(const uint32_t* planes, const Operand& operand, const SourceRule& rule, uint32_t* temporary) {
  const unsigned last = (rule.dwords - 1) * kLanes;
  if (last && planes != temporary) __builtin_memcpy(temporary, planes, last * sizeof(uint32_t));
  const uint32_t sign = rule.bits == 16 ? 0x8000u : 0x80000000u;
  const uint32_t keep = operand.absolute ? ~sign : ~0u, flip = operand.negate ? sign : 0;
  const uint32_t* from = planes + last;
  uint32_t* to = temporary + last;
#pragma GCC ivdep
  for (unsigned l = 0; l < kLanes; ++l) to[l] = (from[l] & keep) ^ flip;
  return temporary;
}

bool is_known_dpp(const Instruction& instruction) {
  const unsigned control = instruction.dpp_ctrl, n = control & 15;
  if (instruction.is_dpp8) return true;
  if (control <= kQuadPermLast) return true;
  switch (control & ~15u) {
    case kRowShl:
    case kRowShr:
    case kRowRor:
      return n != 0;
    case kRowNewBcast:
      return true;
    case kRowXmask:
      return is_rdna(instruction.isa);
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

namespace {

// Source lanes of every control, and the lanes that have one.
struct DppMoves {
  uint8_t source[kDppControls][kLanes];
  uint64_t valid[kDppControls];
};
const DppMoves& dpp_moves() {
  static const DppMoves moves = [] {
    DppMoves m{};
    for (unsigned control = 0; control < kDppControls; ++control) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const unsigned from = dpp_source(control, l);
        m.source[control][l] = static_cast<uint8_t>(from == kNoLane ? 0 : from);
        if (from != kNoLane) m.valid[control] |= 1ull << l;
      }
    }
    return m;
  }();
  return moves;
}

// Lanes of the enabled banks (groups of four, the same in every row) and rows (groups of sixteen).
uint64_t enabled_lanes(const Instruction& instruction) {
  uint64_t lanes = 0;
  for (unsigned group = 0; group < 16; ++group) {
    const bool enabled = ((instruction.row_mask >> (group / 4)) & 1) && ((instruction.bank_mask >> (group % 4)) & 1);
    if (enabled) lanes |= 0xfull << (4 * group);
  }
  return lanes;
}

}  // namespace

// The same lane in every group of eight, valid until the next call on this thread.
const uint8_t* dpp8_sources(uint32_t selects) {
  static thread_local uint8_t source[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) source[l] = static_cast<uint8_t>((l & ~7u) | ((selects >> (3 * (l & 7))) & 7));
  return source;
}

DppLanes dpp_lanes(const Instruction& instruction, uint64_t exec) {
  const unsigned control = instruction.dpp_ctrl % kDppControls;
  DppLanes lanes{dpp_moves().source[control], dpp_moves().valid[control], 0};
  if (instruction.is_dpp8) lanes = {dpp8_sources(instruction.dpp8_lanes), ~0ull, 0};
  if (exec != ~0ull && !instruction.fetch_inactive) {  // a lane that EXEC disables has no value to give
    uint64_t given = 0;
    for (unsigned l = 0; l < kLanes; ++l) given |= ((exec >> lanes.source[l]) & 1) << l;
    lanes.valid &= given;
  }
  lanes.write = exec & enabled_lanes(instruction) & (instruction.bound_ctrl ? ~0ull : lanes.valid);
  return lanes;
}

void prepare_sources(const Wave& wave, const Instruction& instruction, const FormRule& rule, General& general) {
  general.write_mask = wave.exec();
  DppLanes lanes{};
  if (instruction.is_dpp) {
    lanes = dpp_lanes(instruction, wave.exec());
    general.write_mask = lanes.write;
  }
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
    general.src[k] = own;
    if (permuted) {  // DPP sources are vector registers: `from` is not `own`
      for (unsigned d = 0; d < source.dwords; ++d) permute(own + d * kLanes, from + d * kLanes, lanes);
    } else if (from != own) {
      __builtin_memcpy(own, from, source.dwords * sizeof(VectorRegister));
    }
    if (extended) select_part(own, own, select, operand.sign_extend);
    if (operand.absolute || operand.negate) with_sign(own, operand, source, own);
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
