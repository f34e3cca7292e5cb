// VOP3P: packed math, dot products, v_fma_mix, MFMA and the moves between vector and accumulation registers.
#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

constexpr uint32_t kUnusedOpSelHi0 = 0x4000;
constexpr uint32_t kUnusedOpSelHi1 = 0x18000000;

bool packed_source(DecodeContext& c, const OperandSpec& spec, unsigned code, Operand& operand) {
  if (code >= kCodeVgpr0) return c.vgpr(code - kCodeVgpr0, spec.type, operand);
  if (code == kCodeLiteral) return c.is_rdna() && !c.instruction.is_dpp && c.literal(spec.type, operand);
  return c.scalar(code, spec.type, operand);
}

// A matrix of an MFMA: accumulation registers if its acc bit is set.
bool matrix_source(const DecodeContext& c, OperandType type, unsigned code, bool accumulation, Operand& operand) {
  if (code < kCodeVgpr0) return false;
  const unsigned index = code - kCodeVgpr0;
  return accumulation ? c.agpr(index, type, operand) : c.vgpr(index, type, operand);
}

// The inline constants of an accumulator apply to each of its elements.
OperandType element_type(const Signature& signature) {
  const bool doubles = signature.src[0].type == OperandType::kF64;
  return doubles ? OperandType::kF64 : signature.src[2].type;
}

// A large result may replace the accumulator it reads, but not part of it.
bool overlaps_partially(const Operand& result, const Operand& accumulator) {
  if (accumulator.kind != result.kind || accumulator.index == result.index || result.dwords <= 4) return false;
  return result.index < accumulator.index + accumulator.dwords && accumulator.index < result.index + result.dwords;
}

// vdst[7:0] cbsz[10:8] abid[14:11] acc_cd[15] op[22:16] | src0 src1 src2 acc[28:27] blgp[31:29]
DecodeStatus decode_mfma(DecodeContext& c, uint32_t w0, uint32_t w1) {
  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  const bool acc_cd = bit(w0, 15);
  const unsigned vdst = bits(w0, 7, 0);
  Operand operand;
  if (!(acc_cd ? c.agpr(vdst, signature.dst[0].type, operand) : c.vgpr(vdst, signature.dst[0].type, operand))) {
    return c.refuse();
  }
  c.add_dst(operand);
  if (!matrix_source(c, signature.src[0].type, bits(w1, 8, 0), bit(w1, 27), operand)) return c.refuse();
  c.add_src(operand);
  if (!matrix_source(c, signature.src[1].type, bits(w1, 17, 9), bit(w1, 28), operand)) return c.refuse();
  c.add_src(operand);

  const unsigned src2 = bits(w1, 26, 18);
  if (c.flag(kSparse)) {  // the indices, a vector register
    if (src2 < kCodeVgpr0 || !c.vgpr(src2 - kCodeVgpr0, signature.src[2].type, operand)) return c.refuse();
    if (bits(w1, 31, 29) != 0) return c.refuse();
    c.add_src(operand);
    instruction.cbsz = static_cast<uint8_t>(bits(w0, 10, 8));
    instruction.abid = static_cast<uint8_t>(bits(w0, 14, 11));
    return DecodeStatus::kOk;
  }
  const OperandType accumulator = signature.src[2].type;
  if (src2 >= kCodeVgpr0) {
    if (!matrix_source(c, accumulator, src2, acc_cd, operand)) return c.refuse();
  } else {
    if (!inline_constant(src2, element_type(signature), operand)) return c.refuse();
    operand.type = accumulator;
    operand.dwords = static_cast<uint8_t>(dwords_of(accumulator));
  }
  c.add_src(operand);
  if (overlaps_partially(instruction.dst[0], operand)) return c.refuse();
  instruction.cbsz = static_cast<uint8_t>(bits(w0, 10, 8));
  instruction.abid = static_cast<uint8_t>(bits(w0, 14, 11));
  instruction.blgp = static_cast<uint8_t>(bits(w1, 31, 29));
  return DecodeStatus::kOk;
}

DecodeStatus decode_accvgpr(DecodeContext& c, uint32_t w0, uint32_t w1) {
  const bool write = c.signature().dst[0].where == OperandClass::kAgpr;
  const unsigned vdst = bits(w0, 7, 0);
  const unsigned src0 = bits(w1, 8, 0);
  Operand operand;
  if (write) {
    c.agpr(vdst, OperandType::kB32, operand);
    c.add_dst(operand);
    if (!packed_source(c, {OperandType::kB32, OperandClass::kDefault}, src0, operand)) return c.refuse();
  } else {
    c.vgpr(vdst, OperandType::kB32, operand);
    c.add_dst(operand);
    if (src0 < kCodeVgpr0 || !c.agpr(src0 - kCodeVgpr0, OperandType::kB32, operand)) return c.refuse();
  }
  c.add_src(operand);
  // The encoder sets op_sel_hi of unused sources.
  if ((w0 & 0xff00u) != kUnusedOpSelHi0 || (w1 & ~0x1ffu) != kUnusedOpSelHi1) return c.refuse();
  return DecodeStatus::kOk;
}

}  // namespace

namespace {

// A matrix of gfx1100: the rows of the result and of the accumulator are spread over the lanes of the wave.
OperandType matrix_type(const DecodeContext& c, OperandType type) {
  return type == OperandType::kB256 && c.wave_size() == 64 ? OperandType::kB128 : type;
}

// v_wmma: A and B are vector registers, the accumulator may be a constant.
bool wmma_source(DecodeContext& c, unsigned which, unsigned code, Operand& operand) {
  const OperandType type = c.signature().src[which].type;
  if (code >= kCodeVgpr0) return c.vgpr(code - kCodeVgpr0, which == 2 ? matrix_type(c, type) : type, operand);
  if (which != 2 || !inline_constant(code, OperandType::kB32, operand)) return false;
  operand.type = matrix_type(c, type);
  operand.dwords = static_cast<uint8_t>(dwords_of(operand.type));
  return true;
}

}  // namespace

// vdst[7:0] neg_hi[10:8] op_sel[13:11] op_sel_hi2[14] clamp[15] op[22:16] | src0 src1 src2 op_sel_hi[28:27] neg[31:29]
DecodeStatus decode_vop3p(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  if (!c.begin(Encoding::kVop3p, bits(w0, 22, 16), 2)) return c.refuse();
  if (c.flag(kMfma)) return decode_mfma(c, w0, w1);
  if (c.flag(kAccvgpr)) return decode_accvgpr(c, w0, w1);

  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  Operand operand;
  const OperandType result = signature.dst[0].type;
  if (!c.vgpr(bits(w0, 7, 0), c.flag(kWmma) ? matrix_type(c, result) : result, operand)) return c.refuse();
  c.add_dst(operand);
  instruction.clamp = bit(w0, 15);
  instruction.op_sel = static_cast<uint8_t>(bits(w0, 13, 11));
  instruction.op_sel_hi = static_cast<uint8_t>(bits(w1, 28, 27) | (bit(w0, 14) ? 4u : 0u));
  instruction.neg_lo = static_cast<uint8_t>(bits(w1, 31, 29));
  instruction.neg_hi = static_cast<uint8_t>(bits(w0, 10, 8));
  if (instruction.clamp && !c.flag(kClamp)) return c.refuse();

  const unsigned used = (1u << signature.src_count) - 1;
  const unsigned unused = 7u & ~used;
  if ((instruction.op_sel | instruction.neg_lo | instruction.neg_hi) & unused) return c.refuse();
  // The encoder sets op_sel_hi of sources that an instruction does not have.
  if ((instruction.op_sel_hi & unused) != unused) return c.refuse();
  instruction.op_sel_hi &= static_cast<uint8_t>(used);
  if (!c.flag(kOpSel) && (instruction.op_sel != 0 || instruction.op_sel_hi != used)) return c.refuse();
  if (!c.flag(kNeg | kMix) && (instruction.neg_lo | instruction.neg_hi) != 0) return c.refuse();

  unsigned codes[] = {bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)};
  if (c.is_gfx1100() && is_dpp_code(c, codes[0])) {
    uint32_t control = 0;
    if (!c.flag(kE64Dpp)) return c.refuse();
    if (!c.control_word(2, control) || !dpp_control(c, codes[0], control)) return c.refuse();
    codes[0] = kCodeVgpr0 + bits(control, 7, 0);
    if (codes[1] < kCodeVgpr0) return c.refuse();
  }
  for (unsigned i = 0; i < 3; ++i) {
    if (i >= signature.src_count) {
      if (codes[i] != 0) return c.refuse();
      continue;
    }
    if (c.flag(kWmma)) {
      if (!wmma_source(c, i, codes[i], operand)) return c.refuse();
      c.add_src(operand);
      continue;
    }
    OperandSpec spec = signature.src[i];
    // v_fma_mix reads f16 if op_sel_hi is set, else f32; its neg_hi bits mean absolute value.
    if (c.flag(kMix)) {
      if (!(instruction.op_sel_hi >> i & 1)) spec.type = OperandType::kF32;
    }
    if (!packed_source(c, spec, codes[i], operand)) return c.refuse();
    if (c.flag(kMix)) {
      operand.negate = instruction.neg_lo >> i & 1;
      operand.absolute = instruction.neg_hi >> i & 1;
    }
    c.add_src(operand);
  }
  if (c.flag(kMix)) instruction.neg_lo = instruction.neg_hi = 0;
  return within_constant_bus_limit(instruction) ? DecodeStatus::kOk : c.refuse();
}

}  // namespace kernloop::softgpu
