// DS, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF.
#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

constexpr unsigned kNoScalarAddress = 0x7f;  // gfx90a; gfx1030 names null

// Data registers are accumulation registers if the acc bit is set.
bool data_operand(const DecodeContext& c, unsigned index, OperandType type, bool accumulation, Operand& operand) {
  return accumulation ? c.agpr(index, type, operand) : c.vgpr(index, type, operand);
}

}  // namespace

// gfx90a:  offset0[7:0] offset1[15:8] gds[16] op[24:17] acc[25] | addr[7:0] data0[15:8] data1[23:16] vdst[31:24]
// gfx1030, gfx1100: … gds[17] op[25:18]
DecodeStatus decode_ds(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  const unsigned gds_at = c.is_rdna() ? 17 : 16;
  if (!c.begin(Encoding::kDs, w0 >> (gds_at + 1) & 0xff, 2)) return c.refuse();
  if (c.is_rdna() && bit(w0, 16)) return c.refuse();
  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  const bool acc = !c.is_rdna() && bit(w0, 25);
  instruction.gds = bit(w0, gds_at);
  if (c.flag(kGdsOnly) && !instruction.gds) return c.refuse();
  if (c.is_gfx942() && instruction.gds && !c.flag(kGdsOnly)) return c.refuse();  // it has no global data share
  if (c.flag(kNoGds) && instruction.gds) return c.refuse();
  const bool no_operands = signature.dst_count == 0 && signature.src_count == 0;
  if (no_operands && !c.flag(kGdsOnly) && (instruction.gds || bits(w0, 15, 0) != 0)) return c.refuse();  // ds_nop
  if (c.flag(kTwoOffsets)) {
    instruction.offset0 = static_cast<uint8_t>(bits(w0, 7, 0));
    instruction.offset1 = static_cast<uint8_t>(bits(w0, 15, 8));
  } else {
    instruction.offset = static_cast<int32_t>(bits(w0, 15, 0));
  }

  Operand operand;
  unsigned unused_w1 = w1;
  bool uses_data = false;
  if (signature.dst_count == 1) {
    if (!data_operand(c, bits(w1, 31, 24), signature.dst[0].type, acc, operand)) return c.refuse();
    c.add_dst(operand);
    unused_w1 &= ~0xff000000u;
    uses_data = true;
  }
  unsigned data_shift = c.flag(kGdsOnly) ? 0 : 8;  // the semaphore instructions take data0 from the address field
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    if (spec.where == OperandClass::kAddress) {
      if (!c.vgpr(bits(w1, 7, 0), spec.type, operand)) return c.refuse();
      unused_w1 &= ~0xffu;
    } else {
      if (!data_operand(c, (w1 >> data_shift) & 0xff, spec.type, acc, operand)) return c.refuse();
      unused_w1 &= ~(0xffu << data_shift);
      data_shift += 8;
      uses_data = true;
    }
    c.add_src(operand);
  }
  if (unused_w1 != 0 || (acc && !uses_data)) return c.refuse();
  return DecodeStatus::kOk;
}

namespace {

// The immediate offset: false if the segment has no such one.
bool flat_offset(const DecodeContext& c, Encoding encoding, uint32_t w0, int32_t& offset) {
  const unsigned width = c.is_gfx1030() ? 12 : 13;
  const unsigned raw = w0 & ((1u << width) - 1);
  const bool negative = raw >> (width - 1);
  offset = static_cast<int32_t>(raw) - (negative ? 1 << width : 0);
  return encoding != Encoding::kFlat || !negative;  // flat offsets are unsigned
}

// The saddr field of GLOBAL and SCRATCH.
struct ScalarAddress {
  bool present;
  bool vector;  // a vector register is part of the address
};
ScalarAddress scalar_address(const DecodeContext& c, Encoding encoding, uint32_t w0, unsigned saddr) {
  const bool scratch = encoding == Encoding::kScratch;
  if (c.is_gfx942()) return {saddr != kNoScalarAddress, !scratch || bit(w0, 13)};  // sve
  if (!c.is_gfx1030()) {
    const bool present = saddr != kNoScalarAddress;
    return {present, !scratch || !present};  // gfx9 scratch: a vector offset or a scalar one, not both
  }
  if (saddr == kCodeNull) return {false, true};
  if (scratch && saddr == kNoScalarAddress) return {false, false};
  return {true, !scratch};
}

}  // namespace

// gfx90a:  offset[12:0] lds[13] seg[15:14] glc[16] slc[17] op[24:18] scc[25] | addr[7:0] data[15:8] saddr[22:16]
// acc[23]
//          vdst[31:24]
// gfx942:  … sve[13] (scratch has a vector offset) sc0[16] nt[17] sc1[25] in the place of lds, glc, slc, scc
// gfx1030: offset[11:0] dlc[12] …
DecodeStatus decode_flat(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  static constexpr Encoding kSegments[] = {Encoding::kFlat, Encoding::kScratch, Encoding::kGlobal, Encoding::kInvalid};
  const Encoding encoding = kSegments[bits(w0, 15, 14)];
  if (encoding == Encoding::kInvalid || !c.begin(encoding, bits(w0, 24, 18), 2)) return c.refuse();
  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  instruction.lds = c.is_gfx942() ? c.flag(kLdsOnly) : bit(w0, 13);
  instruction.glc = bit(w0, 16);
  instruction.slc = bit(w0, 17);
  instruction.dlc = c.is_gfx1030() && bit(w0, 12);
  instruction.scc = bit(w0, 25);
  if (instruction.scc && !c.is_gfx942()) return c.refuse();
  if (c.is_gfx942() && bit(w0, 13) && encoding != Encoding::kScratch) return c.refuse();
  if (instruction.lds && !c.flag(kLds | kLdsOnly)) return c.refuse();
  if (c.flag(kGlcOnly) && !instruction.glc) return c.refuse();
  if (!flat_offset(c, encoding, w0, instruction.offset)) return c.refuse();

  const unsigned saddr = bits(w1, 22, 16);
  const bool acc = bit(w1, 23);
  if (acc && c.is_gfx1030()) return c.refuse();
  const ScalarAddress address = scalar_address(c, encoding, w0, saddr);
  const bool has_saddr = encoding != Encoding::kFlat && address.present;
  if (encoding == Encoding::kFlat && saddr != (c.is_gfx1030() ? kCodeNull : 0)) return c.refuse();

  Operand operand;
  unsigned unused_w1 = w1 & 0xff00ff00u;
  const bool has_vaddr = signature.src_count > 0 && signature.src[0].where == OperandClass::kVectorAddress;
  if (!has_vaddr) unused_w1 |= w1 & 0xff;
  if (signature.dst_count == 1 && !instruction.lds && (!c.flag(kReturnsIfGlc) || instruction.glc)) {
    if (acc && signature.dst[0].where == OperandClass::kVgpr) return c.refuse();
    if (!data_operand(c, bits(w1, 31, 24), signature.dst[0].type, acc, operand)) return c.refuse();
    c.add_dst(operand);
    unused_w1 &= ~0xff000000u;
  }
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    switch (spec.where) {
      case OperandClass::kVectorAddress: {
        const unsigned vaddr = bits(w1, 7, 0);
        if (!address.vector) {
          if (vaddr != 0) return c.refuse();
          operand = off_operand(OperandType::kB32);
        } else if (encoding == Encoding::kScratch) {
          if (!c.vgpr(vaddr, OperandType::kB32, operand)) return c.refuse();
        } else {
          const OperandType type = has_saddr ? OperandType::kU32 : OperandType::kB64;
          if (!c.vgpr(vaddr, type, operand)) return c.refuse();
        }
        break;
      }
      case OperandClass::kScalarAddress:
        if (!has_saddr) {
          operand = off_operand(spec.type);
        } else {
          const OperandType type = encoding == Encoding::kScratch ? OperandType::kB32 : OperandType::kB64;
          if (c.is_gfx942() && type == OperandType::kB64 && saddr == kCodeExec) return c.refuse();
          if (!c.sgpr(saddr, type, operand)) return c.refuse();
        }
        break;
      default:
        if (!data_operand(c, bits(w1, 15, 8), spec.type, acc, operand)) return c.refuse();
        unused_w1 &= ~0xff00u;
        break;
    }
    c.add_src(operand);
  }
  if (unused_w1 != 0 || (instruction.lds && acc)) return c.refuse();
  return DecodeStatus::kOk;
}

namespace {

// The part that MUBUF and MTBUF share.
// offset[11:0] offen[12] idxen[13] glc[14] … | vaddr[7:0] vdata[15:8] srsrc[20:16] scc/slc/acc … soffset[31:24]
DecodeStatus buffer_operands(DecodeContext& c, uint32_t w0, uint32_t w1, bool acc) {
  const Signature& signature = c.signature();
  Instruction& instruction = c.instruction;
  instruction.offset = static_cast<int32_t>(bits(w0, 11, 0));
  instruction.offen = bit(w0, 12);
  instruction.idxen = bit(w0, 13);
  instruction.glc = bit(w0, 14);

  if (signature.dst_count == 0 && signature.src_count == 0) {  // cache control
    const bool fields = instruction.offset != 0 || instruction.offen || instruction.idxen || w1 != 0;
    if (fields || instruction.lds || instruction.slc) return c.refuse();
    if (c.is_gfx942())
      return c.flag(kCoherent) || !(instruction.glc || instruction.scc) ? DecodeStatus::kOk : c.refuse();
    return instruction.glc == instruction.scc ? DecodeStatus::kOk : c.refuse();
  }

  Operand operand;
  const unsigned vdata = bits(w1, 15, 8);
  bool uses_vdata = false;
  if (signature.dst_count == 1 && !instruction.lds && (!c.flag(kReturnsIfGlc) || instruction.glc)) {
    uses_vdata = true;
  }
  if (uses_vdata) {
    if (!data_operand(c, vdata, signature.dst[0].type, acc, operand)) return c.refuse();
    c.add_dst(operand);
  }
  bool uses_vaddr = false;
  for (unsigned i = 0; i < signature.src_count; ++i) {
    const OperandSpec& spec = signature.src[i];
    switch (spec.where) {
      case OperandClass::kVectorAddress: {
        uses_vaddr = instruction.offen || instruction.idxen;
        if (!uses_vaddr) {
          operand = off_operand(OperandType::kB32);
        } else {
          const bool both = instruction.offen && instruction.idxen;
          if (!c.vgpr(bits(w1, 7, 0), both ? OperandType::kB64 : OperandType::kB32, operand)) return c.refuse();
        }
        break;
      }
      case OperandClass::kResource:
        if (!c.sgpr(bits(w1, 20, 16) * 4, spec.type, operand)) return c.refuse();
        break;
      case OperandClass::kScalarOffset:
        if (!c.scalar(bits(w1, 31, 24), spec.type, operand)) return c.refuse();
        break;
      default:
        uses_vdata = true;
        if (!data_operand(c, vdata, spec.type, acc, operand)) return c.refuse();
        break;
    }
    c.add_src(operand);
  }
  if (!uses_vdata && (vdata != 0 || acc)) return c.refuse();
  if (c.flag(kLdsOnly) && (instruction.offen || instruction.idxen)) return c.refuse();
  if (!uses_vaddr && bits(w1, 7, 0) != 0) return c.refuse();
  return DecodeStatus::kOk;
}

// tfe (a status word behind the data) is for textures: refused.
DecodeStatus buffer_operands_gfx1030(DecodeContext& c, uint32_t w0, uint32_t w1) {
  c.instruction.slc = bit(w1, 22);
  if (bit(w1, 23)) return c.refuse();
  if (c.flag(kGlcOnly) && !bit(w0, 14)) return c.refuse();
  const bool without_dlc = c.flag(kReturnsIfGlc) || c.signature().src_count == 0;  // atomics, cache control
  if (c.instruction.dlc && without_dlc) return c.refuse();
  return buffer_operands(c, w0, w1 & ~0x600000u, false);
}

}  // namespace

// gfx90a:  … scc[15] lds[16] slc[17] op[24:18] | … acc[23]
// gfx942:  … sc0[14] sc1[15] lds[16] nt[17] …
// gfx1030: … dlc[15] lds[16] op[25:18] | … slc[22] tfe[23]
DecodeStatus decode_mubuf(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  if (!c.begin(Encoding::kMubuf, bits(w0, 25, 18), 2)) return c.refuse();
  c.instruction.lds = bit(w0, 16);
  if (c.flag(kLdsOnly) ? !c.instruction.lds : (c.instruction.lds && !c.flag(kLds))) return c.refuse();
  if (c.is_gfx1030()) {
    c.instruction.dlc = bit(w0, 15);
    if (bit(w0, 17) || bit(w1, 21)) return c.refuse();
    return buffer_operands_gfx1030(c, w0, w1);
  }
  c.instruction.scc = bit(w0, 15);
  // The assembler knows scc from gfx940 on; the gfx90a compiler sets it, with glc, on the L2 write-back alone.
  if (c.instruction.scc && !c.flag(kCoherent) && !c.is_gfx942()) return c.refuse();
  c.instruction.slc = bit(w0, 17);
  if (bits(w1, 22, 21) != 0) return c.refuse();
  return buffer_operands(c, w0, w1, bit(w1, 23));
}

// gfx90a:  … op[18:15] dfmt[22:19] nfmt[25:23] | … scc[21] slc[22] acc[23]
// gfx1030: … dlc[15] op[18:16] format[25:19] | … op3[21] slc[22] tfe[23]
DecodeStatus decode_mtbuf(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  const unsigned opcode = c.is_gfx1030() ? bits(w0, 18, 16) | bits(w1, 21, 21) << 3 : bits(w0, 18, 15);
  if (!c.begin(Encoding::kMtbuf, opcode, 2)) return c.refuse();
  c.instruction.mtbuf_format = static_cast<uint8_t>(bits(w0, 25, 19));
  if (c.is_gfx1030()) {
    c.instruction.dlc = bit(w0, 15);
    return buffer_operands_gfx1030(c, w0, w1);
  }
  c.instruction.scc = bit(w1, 21);
  if (c.instruction.scc && !c.is_gfx942()) return c.refuse();
  c.instruction.slc = bit(w1, 22);
  return buffer_operands(c, w0, w1, bit(w1, 23));
}

}  // namespace kernloop::softgpu
