// FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF of gfx1100, whose field positions differ from its predecessors'.
#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

bool returns_data(const DecodeContext& c) {
  return c.signature().dst_count == 1 && (!c.flag(kReturnsIfGlc) || c.instruction.glc);
}

int32_t sign_extended(unsigned raw, unsigned width) {
  return static_cast<int32_t>(raw) - (raw >> (width - 1) ? 1 << width : 0);
}

// The parts of an address: scratch has each of a vector and a scalar register or not, global a scalar one or not.
struct Address {
  Encoding segment;
  bool vector, scalar;
  unsigned vaddr, saddr;

  bool vector_operand(const DecodeContext& c, Operand& operand) const {
    if (!vector) {
      operand = off_operand(OperandType::kB32);
      return vaddr == 0;
    }
    if (segment == Encoding::kScratch) return c.vgpr(vaddr, OperandType::kB32, operand);
    return c.vgpr(vaddr, scalar ? OperandType::kU32 : OperandType::kB64, operand);
  }
  bool scalar_operand(const DecodeContext& c, OperandType type, Operand& operand) const {
    if (!scalar) {
      operand = off_operand(type);
      return true;
    }
    // LLVM's classes of registers there leave out EXEC, and of its halves the upper one.
    if (saddr == (segment == Encoding::kScratch ? kCodeExec + 1 : kCodeExec)) return false;
    return c.sgpr(saddr, segment == Encoding::kScratch ? OperandType::kB32 : OperandType::kB64, operand);
  }
};

}  // namespace

// offset[12:0] dlc[13] glc[14] slc[15] seg[17:16] op[24:18] | addr[7:0] data[15:8] saddr[22:16] sve[23] vdst[31:24]
DecodeStatus decode_flat_gfx1100(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  static constexpr Encoding kSegments[] = {Encoding::kFlat, Encoding::kScratch, Encoding::kGlobal, Encoding::kInvalid};
  const Encoding encoding = kSegments[bits(w0, 17, 16)];
  if (encoding == Encoding::kInvalid || bit(w0, 25) || !c.begin(encoding, bits(w0, 24, 18), 2)) return c.refuse();
  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  instruction.dlc = bit(w0, 13);
  instruction.glc = bit(w0, 14);
  instruction.slc = bit(w0, 15);
  if (c.flag(kGlcOnly) && !instruction.glc) return c.refuse();
  instruction.offset = sign_extended(bits(w0, 12, 0), 13);
  if (encoding == Encoding::kFlat && instruction.offset < 0) return c.refuse();  // flat offsets are unsigned

  const bool null = scalar_code(c.isa(), bits(w1, 22, 16)) == kCodeNull;
  const bool sve = bit(w1, 23);
  if (encoding == Encoding::kFlat ? !null || sve : encoding == Encoding::kGlobal && sve) return c.refuse();
  const Address address{encoding, encoding != Encoding::kScratch || sve, !null, bits(w1, 7, 0), bits(w1, 22, 16)};

  Operand operand;
  unsigned unused_w1 = w1 & 0xff00ff00u;
  const bool has_vaddr = signature.src_count > 0 && signature.src[0].where == OperandClass::kVectorAddress;
  if (!has_vaddr) unused_w1 |= w1 & 0xff;
  if (returns_data(c)) {
    if (!c.vgpr(bits(w1, 31, 24), signature.dst[0].type, operand)) return c.refuse();
    c.add_dst(operand);
    unused_w1 &= ~0xff000000u;
  }
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    if (spec.where == OperandClass::kVectorAddress) {
      if (!address.vector_operand(c, operand)) return c.refuse();
    } else if (spec.where == OperandClass::kScalarAddress) {
      if (!address.scalar_operand(c, spec.type, operand)) return c.refuse();
    } else {
      if (!c.vgpr(bits(w1, 15, 8), spec.type, operand)) return c.refuse();
      unused_w1 &= ~0xff00u;
    }
    c.add_src(operand);
  }
  return unused_w1 == 0 ? DecodeStatus::kOk : c.refuse();
}

namespace {

// offset[11:0] slc[12] dlc[13] glc[14] … | vaddr[7:0] vdata[15:8] srsrc[20:16] tfe[21] offen[22] idxen[23]
// soffset[31:24]
DecodeStatus buffer_operands_gfx1100(DecodeContext& c, uint32_t w0, uint32_t w1) {
  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  instruction.offset = static_cast<int32_t>(bits(w0, 11, 0));
  instruction.slc = bit(w0, 12);
  instruction.dlc = bit(w0, 13);
  instruction.glc = bit(w0, 14);
  instruction.offen = bit(w1, 22);
  instruction.idxen = bit(w1, 23);
  if (bit(w1, 21)) return c.refuse();  // a status word behind the data is for textures
  if (c.flag(kGlcOnly) && !instruction.glc) return c.refuse();
  if (signature.dst_count == 0 && signature.src_count == 0) {  // cache control
    return bits(w0, 14, 0) == 0 && w1 == 0 ? DecodeStatus::kOk : c.refuse();
  }

  Operand operand;
  const unsigned vaddr = bits(w1, 7, 0), vdata = bits(w1, 15, 8);
  if (returns_data(c)) {
    if (!c.vgpr(vdata, signature.dst[0].type, operand)) return c.refuse();
    c.add_dst(operand);
  }
  const bool indexed = instruction.offen || instruction.idxen;
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    bool valid = true;
    switch (spec.where) {
      case OperandClass::kVectorAddress:
        operand = off_operand(OperandType::kB32);
        if (indexed) {
          const bool both = instruction.offen && instruction.idxen;
          valid = c.vgpr(vaddr, both ? OperandType::kB64 : OperandType::kB32, operand);
        }
        break;
      case OperandClass::kResource:
        valid = c.sgpr(bits(w1, 20, 16) * 4, spec.type, operand);
        break;
      case OperandClass::kScalarOffset:
        valid = c.scalar(bits(w1, 31, 24), spec.type, operand);
        break;
      default:
        valid = c.vgpr(vdata, spec.type, operand);
        break;
    }
    if (!valid) return c.refuse();
    c.add_src(operand);
  }
  return indexed || vaddr == 0 ? DecodeStatus::kOk : c.refuse();
}

}  // namespace

DecodeStatus decode_mubuf_gfx1100(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  if (bits(w0, 17, 15) != 0 || !c.begin(Encoding::kMubuf, bits(w0, 25, 18), 2)) return c.refuse();
  return buffer_operands_gfx1100(c, w0, c.word(1));
}

// … op[18:15] format[25:19]
DecodeStatus decode_mtbuf_gfx1100(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  if (!c.begin(Encoding::kMtbuf, bits(w0, 18, 15), 2)) return c.refuse();
  c.instruction.mtbuf_format = static_cast<uint8_t>(bits(w0, 25, 19));
  return buffer_operands_gfx1100(c, w0, c.word(1));
}

}  // namespace kernloop::softgpu
