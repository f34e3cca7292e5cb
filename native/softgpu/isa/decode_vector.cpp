// VOP1, VOP2, VOPC in their 32-bit forms, and VOP3.
#include <algorithm>

#include "softgpu/isa/decode_context.h"
#include "softgpu/isa/op_facts.h"

namespace kernloop::softgpu {
namespace {

constexpr unsigned kMaxSgprCode = 127;

// A 9-bit source field. `literal` says whether this form may be followed by one.
bool vector_source(DecodeContext& c, const OperandSpec& spec, unsigned code, bool literal, Operand& operand) {
  switch (spec.where) {
    case OperandClass::kVgpr:
      return code >= kCodeVgpr0 && c.vgpr(code - kCodeVgpr0, spec.type, operand);
    case OperandClass::kAgpr:
      return code >= kCodeVgpr0 && c.agpr(code - kCodeVgpr0, spec.type, operand);
    case OperandClass::kScalar:
    case OperandClass::kLane:
      if (code >= kCodeVgpr0) return false;
      break;
    default:
      break;
  }
  if (code >= kCodeVgpr0) return c.vgpr(code - kCodeVgpr0, spec.type, operand);
  if (code == kCodeLiteral) return literal && c.literal(spec.type, operand);
  return c.scalar(code, spec.type, operand);
}

bool vector_destination(const DecodeContext& c, const OperandSpec& spec, unsigned code, Operand& operand) {
  switch (spec.where) {
    case OperandClass::kSgpr:
      if (c.is_gfx942() && code == kCodeM0) return false;
      return code <= kMaxSgprCode && c.sgpr(code, spec.type, operand);
    case OperandClass::kAgpr:
      return c.agpr(code, spec.type, operand);
    default:
      return c.vgpr(code, spec.type, operand);
  }
}

bool result_overlaps_a_source(const Instruction& instruction) {
  const Operand& result = instruction.dst[0];
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    const Operand& source = instruction.src[i];
    if (source.kind != Operand::Kind::kVgpr) continue;
    if (source.index < result.index + result.dwords && result.index < source.index + source.dwords) return true;
  }
  return false;
}

DecodeStatus decode_e32(DecodeContext& c, unsigned vdst, unsigned src0, unsigned vsrc1) {
  const Signature& signature = c.signature();
  Operand operand;
  bool uses_vdst = false;
  for (unsigned i = 0; i < signature.dst_count; ++i) {
    const OperandSpec& spec = signature.dst[i];
    if (spec.where == OperandClass::kExec) {
      c.exec(operand);
    } else if (spec.type == OperandType::kMask) {
      c.vcc(operand);
    } else {
      uses_vdst = true;
      const bool valid =
          c.is_half(spec.type) ? c.short_vgpr(vdst, spec.type, operand) : vector_destination(c, spec, vdst, operand);
      if (!valid) return c.refuse();
    }
    c.add_dst(operand);
  }
  if (!uses_vdst && vdst != 0) return c.refuse();
  if (signature.src_count == 0 && src0 != 0) return c.refuse();
  bool first = true;
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    if (spec.where == OperandClass::kLiteral) {
      if (!c.k_literal(spec.type, operand)) return c.refuse();
    } else if (spec.type == OperandType::kMask) {
      c.vcc(operand);
    } else if (first) {
      first = false;
      const bool half = src0 >= kCodeVgpr0 && c.is_half(spec.type);
      const bool valid =
          half ? c.short_vgpr(src0 - kCodeVgpr0, spec.type, operand) : vector_source(c, spec, src0, true, operand);
      if (!valid) return c.refuse();
    } else if (!c.short_vgpr(vsrc1, spec.type, operand)) {
      return c.refuse();
    }
    c.add_src(operand);
  }
  return within_constant_bus_limit(c.instruction) ? DecodeStatus::kOk : c.refuse();
}

DecodeStatus decode_vop12c(DecodeContext& c, unsigned vdst, unsigned src0, unsigned vsrc1) {
  if (src0 == kCodeSdwa) return decode_sdwa(c, vdst, vsrc1);
  if (src0 == kCodeDpp) return decode_dpp(c, vdst, vsrc1);
  if (c.is_rdna() && (src0 == kCodeDpp8 || src0 == kCodeDpp8FetchInactive)) {
    return decode_dpp8(c, vdst, vsrc1, src0 == kCodeDpp8FetchInactive);
  }
  return decode_e32(c, vdst, src0, vsrc1);
}

}  // namespace

namespace {

bool is_on_constant_bus(const Operand& source) {
  if (source.kind == Operand::Kind::kSgpr) return source.index != kCodeNull;
  return source.kind == Operand::Kind::kSpecial || (source.kind == Operand::Kind::kConstant && source.is_literal);
}

bool is_same_scalar(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.index == b.index && (a.kind != Operand::Kind::kSgpr || a.dwords == b.dwords);
}

}  // namespace

bool within_constant_bus_limit(const Instruction& instruction, bool reads_vcc) {
  const bool rdna = instruction.isa == Isa::kGfx1030 || instruction.isa == Isa::kGfx1100;
  const unsigned limit = rdna && !facts_of(instruction.op).has(kOneScalar) ? 2 : 1;
  Operand vcc;
  sgpr_operand(instruction.isa, kCodeVcc, OperandType::kMask, vcc);
  const Operand* seen[6];
  unsigned count = 0;
  if (reads_vcc) seen[count++] = &vcc;
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    const Operand& source = instruction.src[i];
    if (!is_on_constant_bus(source)) continue;
    const bool again =
        std::any_of(seen, seen + count, [&](const Operand* one) { return is_same_scalar(*one, source); });
    if (!again) seen[count++] = &source;
  }
  return count <= limit;
}

DecodeStatus decode_vop1(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kVop1, bits(w, 16, 9), 1)) return c.refuse();
  return decode_vop12c(c, bits(w, 24, 17), bits(w, 8, 0), 0);
}

DecodeStatus decode_vop2(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kVop2, bits(w, 30, 25), 1)) return c.refuse();
  return decode_vop12c(c, bits(w, 24, 17), bits(w, 8, 0), bits(w, 16, 9));
}

DecodeStatus decode_vopc(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kVopC, bits(w, 24, 17), 1)) return c.refuse();
  return decode_vop12c(c, 0, bits(w, 8, 0), bits(w, 16, 9));
}

// vdst[7:0] abs[10:8] op_sel[14:11] (or sdst[14:8]) clamp[15] op[25:16] | src0 src1 src2 omod[28:27] neg[31:29]
DecodeStatus decode_vop3(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  if (!c.begin(Encoding::kVop3, bits(w0, 25, 16), 2)) return c.refuse();
  const Signature& signature = c.signature();
  const unsigned vdst = bits(w0, 7, 0);
  Operand operand;

  const bool has_sdst = signature.dst_count == 2;
  if (signature.dst_count == 0) {
    if (vdst != 0) return c.refuse();
  } else if (signature.dst[0].where == OperandClass::kExec) {
    if ((vdst != 0 || c.is_gfx1100()) && vdst != kCodeExec) return c.refuse();  // older and newer LLVM
    c.exec(operand);
    c.add_dst(operand);
  } else if (signature.dst[0].type == OperandType::kMask) {
    if (vdst > kMaxSgprCode || !c.sgpr(vdst, OperandType::kMask, operand)) return c.refuse();
    c.add_dst(operand);
  } else {
    if (!vector_destination(c, signature.dst[0], vdst, operand)) return c.refuse();
    c.add_dst(operand);
  }
  if (has_sdst) {
    if (!c.sgpr(bits(w0, 14, 8), signature.dst[1].type, operand)) return c.refuse();
    c.add_dst(operand);
  }

  const unsigned codes[] = {bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)};
  const unsigned halves = has_sdst ? 0 : bits(w0, 14, 11);
  if (signature.dst_count == 1 && c.instruction.dst[0].kind == Operand::Kind::kVgpr && c.is_half(signature.dst[0].type))
    c.name_half(halves >> 3, c.instruction.dst[0]);
  const bool dpp = c.is_gfx1100() && is_dpp_code(c, codes[0]);
  uint32_t control = 0;
  if (dpp && !c.flag(kE64Dpp)) return c.refuse();
  if (dpp && (!c.control_word(2, control) || !dpp_control(c, codes[0], control))) return c.refuse();
  const unsigned absolute = has_sdst ? 0 : bits(w0, 10, 8);
  const unsigned negate = bits(w1, 31, 29);
  for (unsigned i = 0; i < 3; ++i) {
    if (i >= signature.src_count) {
      if (codes[i] != 0 || ((absolute | negate) >> i & 1)) return c.refuse();
      continue;
    }
    const OperandSpec& spec = signature.src[i];
    const unsigned code = dpp && i == 0 ? kCodeVgpr0 + bits(control, 7, 0) : codes[i];
    if (dpp && i == 1 && code < kCodeVgpr0 && spec.type != OperandType::kMask) return c.refuse();
    if (!vector_source(c, spec, code, c.is_rdna() && !dpp, operand)) return c.refuse();
    if (operand.kind == Operand::Kind::kVgpr && c.is_half(spec.type)) c.name_half(halves >> i & 1, operand);
    if (spec.type == OperandType::kMask && operand.kind != Operand::Kind::kSgpr) return c.refuse();
    operand.absolute = absolute >> i & 1;
    operand.negate = negate >> i & 1;
    const bool takes_modifiers = is_float(spec.type) || (c.flag(kMods) && spec.type != OperandType::kMask);
    if ((operand.absolute || operand.negate) && !takes_modifiers) return c.refuse();
    c.add_src(operand);
  }

  c.instruction.clamp = bit(w0, 15);
  c.instruction.omod = static_cast<uint8_t>(bits(w1, 28, 27));
  if (c.instruction.clamp && !c.flag(kClamp)) return c.refuse();
  if (c.instruction.omod != 0 && !c.flag(kOmod)) return c.refuse();
  if (!has_sdst) {
    c.instruction.op_sel = static_cast<uint8_t>(bits(w0, 14, 11));
    const unsigned last = signature.src_count;
    const bool ends_in_mask = c.is_gfx1100() && last > 0 && signature.src[last - 1].type == OperandType::kMask;
    const unsigned sources = (1u << (ends_in_mask ? last - 1 : last)) - 1;
    const bool has_result = !c.is_gfx1100() || c.instruction.dst[0].kind == Operand::Kind::kVgpr;
    const unsigned allowed = c.flag(kPermlane)         ? 0b0011u
                             : c.flag(kAccumulatorSel) ? 0b1100u
                             : c.flag(kByteSelect)     ? 0b1111u
                             : c.flag(kOpSel)          ? (has_result ? 0b1000u : 0u) | sources
                                                       : 0u;
    if (c.instruction.op_sel & ~allowed) return c.refuse();
    for (unsigned i = 0; c.flag(kNamedHalves) && i < last; ++i) {
      const bool named = c.instruction.src[i].kind == Operand::Kind::kVgpr;
      if (!named && (c.instruction.op_sel >> i & 1)) return c.refuse();
    }
  }
  if (c.flag(kEarlyClobber) && result_overlaps_a_source(c.instruction)) return c.refuse();
  return within_constant_bus_limit(c.instruction, c.flag(kReadsVcc)) ? DecodeStatus::kOk : c.refuse();
}

}  // namespace kernloop::softgpu
