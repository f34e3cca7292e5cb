// SOP1, SOP2, SOPK, SOPC, SOPP and SMEM.
#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

constexpr unsigned kWaitcntReserved = 0x3080;
constexpr unsigned kGprIndexModes = 0xf;

// Scalar memory transfers general and trap registers, never m0 or exec.
bool scalar_data(unsigned code, OperandType type, Operand& operand) {
  return code < kCodeM0 && sgpr_operand(code, type, operand);
}

DecodeStatus scalar_operands(DecodeContext& c, unsigned sdst, unsigned ssrc0, unsigned ssrc1) {
  const Signature& signature = c.signature();
  Operand operand;
  if (signature.dst_count == 1) {
    if (!sgpr_operand(sdst, signature.dst[0].type, operand)) return c.refuse();
    c.add_dst(operand);
  } else if (sdst != 0) {
    return c.refuse();
  }
  const unsigned codes[] = {ssrc0, ssrc1};
  for (unsigned i = 0; i < 2; ++i) {
    if (i < signature.src_count) {
      const OperandSpec& spec = signature.src[i];
      const bool valid = spec.where == OperandClass::kSgpr ? sgpr_operand(codes[i], spec.type, operand)
                                                           : c.scalar_or_literal(codes[i], spec.type, operand);
      if (!valid) return c.refuse();
      c.add_src(operand);
    } else if (codes[i] != 0) {
      return c.refuse();
    }
  }
  return DecodeStatus::kOk;
}

}  // namespace

DecodeStatus decode_sop1(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kSop1, bits(w, 15, 8), 1)) return c.refuse();
  return scalar_operands(c, bits(w, 22, 16), bits(w, 7, 0), 0);
}

DecodeStatus decode_sop2(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kSop2, bits(w, 29, 23), 1)) return c.refuse();
  return scalar_operands(c, bits(w, 22, 16), bits(w, 7, 0), bits(w, 15, 8));
}

DecodeStatus decode_sopc(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kSopC, bits(w, 22, 16), 1)) return c.refuse();
  if (c.flag(kGprIndex)) {
    const unsigned modes = bits(w, 15, 8);
    if (modes > kGprIndexModes) return c.refuse();
    c.instruction.simm16 = static_cast<int32_t>(modes);
    return scalar_operands(c, 0, bits(w, 7, 0), 0);
  }
  return scalar_operands(c, 0, bits(w, 7, 0), bits(w, 15, 8));
}

DecodeStatus decode_sopk(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kSopK, bits(w, 27, 23), 1)) return c.refuse();
  c.instruction.simm16 = static_cast<int16_t>(bits(w, 15, 0));
  const unsigned sdst = bits(w, 22, 16);
  const Signature& signature = c.signature();
  Operand operand;
  if (signature.dst_count == 1) {
    if (!sgpr_operand(sdst, signature.dst[0].type, operand)) return c.refuse();
    c.add_dst(operand);
  } else if (signature.src_count == 1) {
    if (!sgpr_operand(sdst, signature.src[0].type, operand)) return c.refuse();
    c.add_src(operand);
  } else if (sdst != 0) {
    return c.refuse();
  }
  if (c.flag(kLiteralDword)) {
    if (!c.literal(OperandType::kB32, operand)) return c.refuse();
    c.add_src(operand);
  }
  return DecodeStatus::kOk;
}

DecodeStatus decode_sopp(DecodeContext& c) {
  const uint32_t w = c.word(0);
  if (!c.begin(Encoding::kSopP, bits(w, 22, 16), 1)) return c.refuse();
  const unsigned simm16 = bits(w, 15, 0);
  c.instruction.simm16 = static_cast<int16_t>(simm16);
  if (c.flag(kWaitcnt)) return (simm16 & kWaitcntReserved) ? c.refuse() : DecodeStatus::kOk;
  if (c.flag(kGprIndex)) return simm16 > kGprIndexModes ? c.refuse() : DecodeStatus::kOk;
  if (!c.flag(kNumber | kLabel | kMessage) && simm16 != 0) return c.refuse();
  return DecodeStatus::kOk;
}

// offset[20:0] soffset[31:25] | sbase[5:0] sdata[12:6] soffset_en[14] nv[15] glc[16] imm[17] op[25:18]
DecodeStatus decode_smem(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  if (!c.begin(Encoding::kSmem, bits(w0, 25, 18), 2)) return c.refuse();
  const unsigned sbase = bits(w0, 5, 0);
  const unsigned sdata = bits(w0, 12, 6);
  const bool soffset_en = bit(w0, 14);
  const bool glc = bit(w0, 16);
  const bool imm = bit(w0, 17);
  if (bit(w0, 13) || bit(w0, 15)) return c.refuse();
  const Signature& signature = c.signature();
  c.instruction.glc = glc;
  Operand operand;

  bool uses_data = false;
  bool uses_base = false;
  bool buffer = false;
  const bool has_result = signature.dst_count == 1 && (!c.flag(kReturnsIfGlc) || glc);
  if (signature.dst_count == 1) {
    uses_data = true;
    if (!scalar_data(sdata, signature.dst[0].type, operand)) return c.refuse();
    if (has_result) c.add_dst(operand);
  }
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    switch (spec.where) {
      case OperandClass::kBase:
        uses_base = true;
        buffer = spec.type == OperandType::kB128;
        if (!sgpr_operand(sbase * 2, spec.type, operand)) return c.refuse();
        c.add_src(operand);
        break;
      case OperandClass::kScalarOffset: {
        // imm: offset21; imm and soffset_en: register plus offset21; neither: register named by the low offset bits.
        const int32_t offset21 = static_cast<int32_t>(w1 << 11) >> 11;
        if (imm) {
          if (bits(w1, 24, 21) != 0) return c.refuse();
          c.instruction.offset = offset21;
          if (offset21 < 0 && buffer) return c.refuse();  // a negative offset into a buffer resource is reserved
          if (!soffset_en && bits(w1, 31, 25) != 0) return c.refuse();
        } else if (soffset_en || bits(w1, 31, 7) != 0) {
          return c.refuse();
        }
        if (imm && !soffset_en) break;
        const unsigned code = soffset_en ? bits(w1, 31, 25) : bits(w1, 6, 0);
        if (!sgpr_operand(code, spec.type, operand)) return c.refuse();
        c.instruction.soffset_en = true;
        c.instruction.offen = imm;  // both: LLVM writes "s0 offset:0x0" even for zero
        c.add_src(operand);
        break;
      }
      case OperandClass::kProbe:
        uses_data = true;
        operand = Operand{};
        operand.kind = Operand::Kind::kConstant;
        operand.type = spec.type;
        operand.value = sdata;
        c.add_src(operand);
        break;
      default:
        uses_data = true;
        if (!scalar_data(sdata, spec.type, operand)) return c.refuse();
        c.add_src(operand);
        break;
    }
  }
  if (c.flag(kNoGlc) && glc) return c.refuse();
  if (!uses_data && sdata != 0) return c.refuse();
  if (!uses_base && (sbase != 0 || soffset_en || imm || glc || w1 != 0)) return c.refuse();
  return DecodeStatus::kOk;
}

}  // namespace kernloop::softgpu
