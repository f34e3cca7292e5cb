// The SDWA and DPP forms of VOP1, VOP2 and VOPC: a second dword replaces src0.
#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

constexpr unsigned kSelectDword = 6;

// Destinations of both forms. VOPC has none in the vdst field.
bool destinations(DecodeContext& c, unsigned vdst, const Operand* mask_destination) {
  const Signature& signature = c.signature();
  Operand operand;
  for (unsigned i = 0; i < signature.dst_count; ++i) {
    if (signature.dst[i].where == OperandClass::kExec) {
      c.exec(operand);
    } else if (signature.dst[i].type == OperandType::kMask) {
      if (mask_destination != nullptr) {
        operand = *mask_destination;
      } else {
        c.vcc(operand);
      }
    } else if (!c.short_vgpr(vdst, signature.dst[i].type, operand)) {
      return false;
    }
    c.add_dst(operand);
  }
  return true;
}

struct SourceField {
  unsigned code;
  bool scalar;
  unsigned select;
  bool sign_extend, negate, absolute;
};

// Sources of v_cndmask_b32 are no numbers; gfx942 and gfx1100 negate them all the same.
bool takes_signs(const DecodeContext& c, const OperandSpec& spec) {
  return is_float(spec.type) || ((c.is_gfx942() || c.is_gfx1100()) && c.flag(kMods) && spec.type == OperandType::kB32);
}

bool sdwa_source(DecodeContext& c, const OperandSpec& spec, const SourceField& field) {
  Operand operand;
  if (field.scalar) {
    if (!c.scalar(field.code, spec.type, operand)) return false;
  } else if (!c.vgpr(field.code, spec.type, operand)) {
    return false;
  }
  if (field.select > kSelectDword) return false;
  if (takes_signs(c, spec) ? field.sign_extend : (field.negate || field.absolute)) return false;
  if (c.flag(kSourceSelect) && field.sign_extend) return false;
  operand.sdwa_select = static_cast<uint8_t>(field.select);
  operand.sign_extend = field.sign_extend;
  operand.negate = field.negate;
  operand.absolute = field.absolute;
  c.add_src(operand);
  return true;
}

bool add_implicit_vcc(DecodeContext& c) {
  Operand operand;
  c.vcc(operand);
  c.add_src(operand);
  return true;
}

bool is_quad_perm(unsigned control) {
  return control <= 0xff;
}
bool is_row_newbcast(unsigned control) {
  return control >= 0x150 && control <= 0x15f;
}
bool is_dpp_control_gfx1030(unsigned control) {
  const bool row_shift = control > 0x100 && control < 0x130 && (control & 0xf) != 0;
  return is_quad_perm(control) || row_shift || control == 0x140 || control == 0x141 ||
         (control >= 0x150 && control <= 0x16f);  // row_share, row_xmask
}
bool is_dpp_control(const DecodeContext& c, unsigned control) {
  if (c.is_rdna()) return is_dpp_control_gfx1030(control);
  if (is_quad_perm(control) || is_row_newbcast(control)) return true;
  const bool row_shift = control > 0x100 && control < 0x130 && (control & 0xf) != 0;  // row_shl, row_shr, row_ror
  const bool wave_shift = control == 0x130 || control == 0x134 || control == 0x138 || control == 0x13c;
  return row_shift || wave_shift || (control >= 0x140 && control <= 0x143);  // mirrors and broadcasts
}

}  // namespace

// src0[7:0] dst_sel[10:8] dst_unused[12:11] clamp[13] omod[15:14] (VOPC: sdst[14:8] sd[15])
// src0_sel[18:16] sext neg abs s0[23] src1_sel[26:24] sext neg abs s1[31]
DecodeStatus decode_sdwa(DecodeContext& c, unsigned vdst, unsigned vsrc1) {
  if (!c.has_word(1)) return c.truncated();
  if (!c.flag(kSdwa)) return c.refuse();
  const uint32_t w = c.word(1);
  Instruction& instruction = c.instruction;
  const Signature& signature = c.signature();
  instruction.is_sdwa = true;
  instruction.size_bytes = 8;

  if (instruction.encoding == Encoding::kVopC && signature.dst[0].where == OperandClass::kExec) {
    if (bits(w, 15, 8) != 0) return c.refuse();
    destinations(c, 0, nullptr);
  } else if (instruction.encoding == Encoding::kVopC) {
    Operand mask;
    const bool named = bit(w, 15);
    if (!named && bits(w, 14, 8) != 0) return c.refuse();
    if (named && bits(w, 14, 8) == kCodeVcc) return c.refuse();  // the canonical form leaves sd clear
    if (!c.sgpr(named ? bits(w, 14, 8) : kCodeVcc, OperandType::kMask, mask)) return c.refuse();
    if (!destinations(c, 0, &mask)) return c.refuse();
  } else {
    if (!destinations(c, vdst, nullptr)) return c.refuse();
    instruction.dst_sel = static_cast<uint8_t>(bits(w, 10, 8));
    instruction.dst_unused = static_cast<uint8_t>(bits(w, 12, 11));
    instruction.clamp = bit(w, 13);
    instruction.omod = static_cast<uint8_t>(bits(w, 15, 14));
    if (instruction.dst_sel > kSelectDword || instruction.dst_unused > 2) return c.refuse();
    const OperandType result = signature.dst[0].type;
    const bool takes_omod = is_float(result) || result == OperandType::kPkF16 || result == OperandType::kPkF32;
    if (instruction.omod != 0 && !takes_omod) return c.refuse();
    if (c.flag(kSourceSelect) && (instruction.dst_sel != kSelectDword || instruction.dst_unused != 0))
      return c.refuse();
  }

  const SourceField fields[] = {
      {bits(w, 7, 0), bit(w, 23), bits(w, 18, 16), bit(w, 19), bit(w, 20), bit(w, 21)},
      {vsrc1, bit(w, 31), bits(w, 26, 24), bit(w, 27), bit(w, 28), bit(w, 29)},
  };
  if (bit(w, 22) || bit(w, 30)) return c.refuse();
  unsigned next = 0;
  for (unsigned i = 0; i < signature.src_count; ++i) {
    if (signature.src[i].type == OperandType::kMask) {
      add_implicit_vcc(c);
    } else if (!sdwa_source(c, signature.src[i], fields[next++])) {
      return c.refuse();
    }
  }
  if (next < 2 && bits(w, 31, 24) != 0) return c.refuse();
  return within_constant_bus_limit(instruction) ? DecodeStatus::kOk : c.refuse();
}

// src0[7:0] dpp_ctrl[16:8] fetch_inactive[18] (gfx1030, gfx1100) bound_ctrl[19] src0_neg src0_abs src1_neg src1_abs
// bank_mask[27:24] row_mask[31:28]
DecodeStatus decode_dpp(DecodeContext& c, unsigned vdst, unsigned vsrc1) {
  if (!c.has_word(1)) return c.truncated();
  if (!c.flag(kDpp | kDpp64)) return c.refuse();
  const uint32_t w = c.word(1);
  Instruction& instruction = c.instruction;
  const Signature& signature = c.signature();
  instruction.is_dpp = true;
  instruction.size_bytes = 8;
  instruction.dpp_ctrl = static_cast<uint16_t>(bits(w, 16, 8));
  instruction.bound_ctrl = bit(w, 19);
  instruction.bank_mask = static_cast<uint8_t>(bits(w, 27, 24));
  instruction.row_mask = static_cast<uint8_t>(bits(w, 31, 28));
  instruction.fetch_inactive = c.is_rdna() && bit(w, 18);
  if (bit(w, 17) || (bit(w, 18) && !c.is_rdna()) || !is_dpp_control(c, instruction.dpp_ctrl)) return c.refuse();
  if (c.flag(kDpp64) && !is_row_newbcast(instruction.dpp_ctrl)) return c.refuse();
  if (!destinations(c, vdst, nullptr)) return c.refuse();

  const unsigned codes[] = {bits(w, 7, 0), vsrc1};
  unsigned next = 0;
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    if (spec.type == OperandType::kMask) {
      add_implicit_vcc(c);
      continue;
    }
    Operand operand;
    if (!c.short_vgpr(codes[next], spec.type, operand)) return c.refuse();
    operand.negate = bit(w, 20 + 2 * next);
    operand.absolute = bit(w, 21 + 2 * next);
    const bool takes_modifiers = takes_signs(c, spec);
    if ((operand.negate || operand.absolute) && !takes_modifiers) return c.refuse();
    c.add_src(operand);
    ++next;
  }
  for (; next < 2; ++next) {
    if (bit(w, 20 + 2 * next) || bit(w, 21 + 2 * next)) return c.refuse();
  }
  return DecodeStatus::kOk;
}

bool is_dpp_code(const DecodeContext& c, unsigned code) {
  return code == kCodeDpp || (c.is_rdna() && (code == kCodeDpp8 || code == kCodeDpp8FetchInactive));
}

bool dpp_control(DecodeContext& c, unsigned code, uint32_t w) {
  Instruction& instruction = c.instruction;
  instruction.is_dpp = true;
  if (code != kCodeDpp) {
    instruction.is_dpp8 = true;
    instruction.fetch_inactive = code == kCodeDpp8FetchInactive;
    instruction.dpp8_lanes = bits(w, 31, 8);
    return true;
  }
  instruction.dpp_ctrl = static_cast<uint16_t>(bits(w, 16, 8));
  instruction.fetch_inactive = bit(w, 18);
  instruction.bound_ctrl = bit(w, 19);
  instruction.bank_mask = static_cast<uint8_t>(bits(w, 27, 24));
  instruction.row_mask = static_cast<uint8_t>(bits(w, 31, 28));
  // The longer form itself has the signs of the sources.
  return !bit(w, 17) && bits(w, 23, 20) == 0 && is_dpp_control(c, instruction.dpp_ctrl);
}

// src0[7:0] lanes[31:8]
DecodeStatus decode_dpp8(DecodeContext& c, unsigned vdst, unsigned vsrc1, bool fetch_inactive) {
  if (!c.has_word(1)) return c.truncated();
  if (!c.flag(kDpp)) return c.refuse();
  const uint32_t w = c.word(1);
  Instruction& instruction = c.instruction;
  const Signature& signature = c.signature();
  instruction.is_dpp = true;
  instruction.is_dpp8 = true;
  instruction.size_bytes = 8;
  instruction.fetch_inactive = fetch_inactive;
  instruction.dpp8_lanes = bits(w, 31, 8);
  if (!destinations(c, vdst, nullptr)) return c.refuse();
  const unsigned codes[] = {bits(w, 7, 0), vsrc1};
  unsigned next = 0;
  for (unsigned i = 0; i < signature.src_count; ++i) {
    if (signature.src[i].type == OperandType::kMask) {
      add_implicit_vcc(c);
      continue;
    }
    Operand operand;
    if (!c.short_vgpr(codes[next++], signature.src[i].type, operand)) return c.refuse();
    c.add_src(operand);
  }
  return DecodeStatus::kOk;
}

}  // namespace kernloop::softgpu
