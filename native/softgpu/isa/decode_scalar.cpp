// SOP1, SOP2, SOPK, SOPC, SOPP and SMEM.
#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

constexpr unsigned kWaitcntReserved[kIsas] = {0x3080, 0x0080, 0x3080, 0x0008};  // lgkmcnt has 4 bits, or 6
constexpr unsigned kGprIndexModes = 0xf;

// Scalar memory transfers general and trap registers, never m0 or exec.
// gfx1030: one dword or two may be loaded into null; gfx1100: any number.
bool scalar_data(const DecodeContext& c, unsigned code, OperandType type, Operand& operand) {
  const bool null = c.is_rdna() && scalar_code(c.isa(), code) == kCodeNull;
  if (null && c.is_gfx1100()) {
    c.sgpr(code, OperandType::kB32, operand);
    operand.type = type;
    operand.dwords = static_cast<uint8_t>(dwords_of(type));
    return true;
  }
  return (code < kCodeM0 || null) && c.sgpr(code, type, operand);
}

DecodeStatus scalar_operands(DecodeContext& c, unsigned sdst, unsigned ssrc0, unsigned ssrc1) {
  const Signature& signature = c.signature();
  Operand operand;
  if (signature.dst_count == 1) {
    if (!c.sgpr(sdst, signature.dst[0].type, operand)) return c.refuse();
    c.add_dst(operand);
  } else if (sdst != 0) {
    return c.refuse();
  }
  const unsigned codes[] = {ssrc0, ssrc1};
  for (unsigned i = 0; i < 2; ++i) {
    if (i < signature.src_count) {
      const OperandSpec& spec = signature.src[i];
      const bool valid = spec.where == OperandClass::kSgpr ? c.sgpr(codes[i], spec.type, operand)
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
  if (c.flag(kMessage)) {  // gfx1100: the source field is the message
    c.instruction.simm16 = static_cast<int32_t>(bits(w, 7, 0));
    return scalar_operands(c, bits(w, 22, 16), 0, 0);
  }
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
    if (!c.sgpr(sdst, signature.dst[0].type, operand)) return c.refuse();
    c.add_dst(operand);
  } else if (signature.src_count == 1) {
    if (!c.sgpr(sdst, signature.src[0].type, operand)) return c.refuse();
    if (c.flag(kNullOnly) && operand.index != kCodeNull) return c.refuse();
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
  if (c.flag(kWaitcnt))
    return (simm16 & kWaitcntReserved[static_cast<unsigned>(c.isa())]) ? c.refuse() : DecodeStatus::kOk;
  if (c.flag(kGprIndex)) return simm16 > kGprIndexModes ? c.refuse() : DecodeStatus::kOk;
  if (!c.flag(kNumber | kHex | kLabel | kMessage) && simm16 != 0) return c.refuse();
  return DecodeStatus::kOk;
}

namespace {

// Parts of the offset, register and immediate, by the target's fields. `sgpr`: the register's code.
struct ScalarOffset {
  bool valid;
  bool immediate, by_register;
  unsigned sgpr;
};

// gfx90a: imm: offset21; imm and soffset_en: register plus offset21; neither: register named by the low offset bits.
ScalarOffset scalar_offset_gfx90a(uint32_t w0, uint32_t w1) {
  const bool soffset_en = bit(w0, 14), imm = bit(w0, 17);
  if (!imm) return {!soffset_en && bits(w1, 31, 7) == 0, false, true, bits(w1, 6, 0)};
  const bool unused_register = !soffset_en && bits(w1, 31, 25) != 0;
  return {bits(w1, 24, 21) == 0 && !unused_register, true, soffset_en, bits(w1, 31, 25)};
}

// gfx1030, gfx1100: register plus offset21, with null for no register.
ScalarOffset scalar_offset_rdna(Isa isa, uint32_t w1) {
  const unsigned sgpr = bits(w1, 31, 25);
  const bool null = scalar_code(isa, sgpr) == kCodeNull;
  return {bits(w1, 24, 21) == 0, bits(w1, 20, 0) != 0 || null, !null, sgpr};
}

// Bits of the first word: those of the cache policy, and those that have to be zero.
struct SmemBits {
  uint32_t glc, dlc, unused;
};
constexpr SmemBits kSmemBits[kIsas] = {
    {1u << 16, 0, 1u << 13 | 1u << 15},                    // gfx90a
    {1u << 16, 1u << 14, 1u << 13 | 1u << 15 | 1u << 17},  // gfx1030
    {1u << 16, 0, 1u << 13 | 1u << 15},                    // gfx942
    {1u << 14, 1u << 13, 1u << 15 | 1u << 16 | 1u << 17},  // gfx1100
};

}  // namespace

// gfx90a:  offset[20:0] soffset[31:25] | sbase[5:0] sdata[12:6] soffset_en[14] nv[15] glc[16] imm[17] op[25:18]
// gfx1030: … dlc[14] glc[16] op[25:18]
// gfx1100: … dlc[13] glc[14] op[25:18]
DecodeStatus decode_smem(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  if (!c.begin(Encoding::kSmem, bits(w0, 25, 18), 2)) return c.refuse();
  const unsigned sbase = bits(w0, 5, 0);
  const unsigned sdata = bits(w0, 12, 6);
  const SmemBits& named = kSmemBits[static_cast<unsigned>(c.isa())];
  if (w0 & named.unused) return c.refuse();
  const ScalarOffset offset = c.is_rdna() ? scalar_offset_rdna(c.isa(), w1) : scalar_offset_gfx90a(w0, w1);
  const Signature& signature = c.signature();
  const bool glc = (w0 & named.glc) != 0;
  c.instruction.glc = glc;
  c.instruction.dlc = (w0 & named.dlc) != 0;
  Operand operand;

  bool uses_data = false;
  bool uses_base = false;
  bool buffer = false;
  const bool has_result = signature.dst_count == 1 && (!c.flag(kReturnsIfGlc) || glc);
  if (signature.dst_count == 1) {
    uses_data = true;
    if (!scalar_data(c, sdata, signature.dst[0].type, operand)) return c.refuse();
    if (has_result) c.add_dst(operand);
  }
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    switch (spec.where) {
      case OperandClass::kBase:
        uses_base = true;
        buffer = spec.type == OperandType::kB128;
        if (!c.sgpr(sbase * 2, spec.type, operand)) return c.refuse();
        c.add_src(operand);
        break;
      case OperandClass::kScalarOffset: {
        if (!offset.valid) return c.refuse();
        if (offset.immediate) {
          c.instruction.offset = static_cast<int32_t>(w1 << 11) >> 11;
          if (c.instruction.offset < 0 && buffer) return c.refuse();  // reserved: resources start at their base
        }
        if (!offset.by_register) break;
        if (!c.sgpr(offset.sgpr, spec.type, operand)) return c.refuse();
        c.instruction.soffset_en = true;
        c.instruction.offen = offset.immediate;  // both: LLVM writes "s0 offset:0x0" even for zero
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
        if (!scalar_data(c, sdata, spec.type, operand)) return c.refuse();
        c.add_src(operand);
        break;
    }
  }
  if (c.flag(kNoGlc) && (glc || c.instruction.dlc)) return c.refuse();
  if (!uses_data && sdata != 0) return c.refuse();
  const bool fields = sbase != 0 || glc || w1 != 0 || bits(w0, 14, 13) != 0 || bit(w0, 17);
  if (!uses_base && fields) return c.refuse();
  return DecodeStatus::kOk;
}

}  // namespace kernloop::softgpu
