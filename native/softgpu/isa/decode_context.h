// What the decoders of the encodings share: the words, the literal that may follow, and the instruction being built.
#pragma once

#include <cstdint>
#include <span>

#include "softgpu/isa/decoder.h"
#include "softgpu/isa/instruction.h"
#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/operand_fields.h"

namespace kernloop::softgpu {

constexpr uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & ((high - low == 31) ? ~0u : (1u << (high - low + 1)) - 1);
}
constexpr bool bit(uint32_t word, unsigned position) {
  return (word >> position) & 1;
}

class DecodeContext {
 public:
  DecodeContext(Target target, std::span<const uint32_t> words) : target_(target), words_(words) {
    instruction.isa = target.isa;
  }

  Instruction instruction;

  bool has_word(unsigned i) const { return i < words_.size(); }
  uint32_t word(unsigned i) const { return words_[i]; }

  // Finds the row and starts the instruction. False if there is no such opcode.
  bool begin(Encoding encoding, unsigned opcode, unsigned words) {
    row_ = find_row(target_.isa, encoding, opcode);
    if (row_ == nullptr) return false;
    instruction.encoding = encoding;
    instruction.op = row_->op;
    instruction.size_bytes = static_cast<uint8_t>(4 * words);
    literal_at_ = words;
    return true;
  }

  Isa isa() const { return target_.isa; }
  bool is_gfx1030() const { return target_.isa == Isa::kGfx1030; }
  bool is_gfx942() const { return target_.isa == Isa::kGfx942; }

  // The operand that a field names; false where the target has no such register or constant.
  bool sgpr(unsigned code, OperandType type, Operand& operand) const {
    if (type != OperandType::kMask || target_.wave_size == 64) return sgpr_operand(isa(), code, type, operand);
    return narrow_mask(sgpr_operand(isa(), code, OperandType::kB32, operand), operand);
  }
  bool vgpr(unsigned index, OperandType type, Operand& operand) const {
    return vgpr_operand(isa(), index, type, operand);
  }
  bool agpr(unsigned index, OperandType type, Operand& operand) const {
    return !is_gfx1030() && agpr_operand(isa(), index, type, operand);
  }
  bool scalar(unsigned code, OperandType type, Operand& operand) const {
    if (type != OperandType::kMask || target_.wave_size == 64) return scalar_source(isa(), code, type, operand);
    return narrow_mask(scalar_source(isa(), code, OperandType::kB32, operand), operand);
  }
  bool vcc(Operand& operand) const { return sgpr(kCodeVcc, OperandType::kMask, operand); }
  bool exec(Operand& operand) const { return sgpr(kCodeExec, OperandType::kMask, operand); }

  const OpcodeRow& row() const { return *row_; }
  const Signature& signature() const { return row_->signature; }
  bool flag(uint64_t flag) const { return (row_->flags & flag) != 0; }

  void add_dst(const Operand& operand) { instruction.dst[instruction.dst_count++] = operand; }
  void add_src(const Operand& operand) { instruction.src[instruction.src_count++] = operand; }

  // The literal dword after the encoding; one a instruction, shared by operands that name it.
  bool literal(OperandType type, Operand& operand) {
    if (!has_word(literal_at_)) {
      truncated_ = true;
      return false;
    }
    instruction.literal_dword = word(literal_at_);
    instruction.size_bytes = static_cast<uint8_t>(4 * (literal_at_ + 1));
    operand = literal_operand(instruction.literal_dword, type);
    // A relocated literal may take any value; relocations are 32 bits wide.
    return dwords_of(type) == 1 && !is_16_bit(type) ? true : literal_is_canonical(instruction.literal_dword, type);
  }

  // The K of v_madmk and v_madak: always a dword, so any value is canonical that fits the operand.
  bool k_literal(OperandType type, Operand& operand) {
    literal(type, operand);
    if (truncated_ || (type == OperandType::kF16 && instruction.literal_dword > 0xffff)) return false;
    // A source that names K again is no relocation.
    const Operand& src0 = instruction.src[0];
    return !src0.is_literal || literal_is_canonical(src0.literal, src0.type);
  }

  // A scalar source field that may name a literal (SOP encodings).
  bool scalar_or_literal(unsigned code, OperandType type, Operand& operand) {
    return code == kCodeLiteral ? literal(type, operand) : scalar(code, type, operand);
  }

  DecodeStatus refuse() const { return truncated_ ? DecodeStatus::kTruncated : DecodeStatus::kUnknown; }
  DecodeStatus truncated() const { return DecodeStatus::kTruncated; }

 private:
  static bool narrow_mask(bool valid, Operand& operand) {
    operand.type = OperandType::kMask;
    return valid;
  }

  Target target_;
  std::span<const uint32_t> words_;
  const OpcodeRow* row_ = nullptr;
  unsigned literal_at_ = 1;
  bool truncated_ = false;
};

DecodeStatus decode_sop1(DecodeContext& context);
DecodeStatus decode_sop2(DecodeContext& context);
DecodeStatus decode_sopk(DecodeContext& context);
DecodeStatus decode_sopc(DecodeContext& context);
DecodeStatus decode_sopp(DecodeContext& context);
DecodeStatus decode_smem(DecodeContext& context);
DecodeStatus decode_vop1(DecodeContext& context);
DecodeStatus decode_vop2(DecodeContext& context);
DecodeStatus decode_vopc(DecodeContext& context);
DecodeStatus decode_sdwa(DecodeContext& context, unsigned vdst, unsigned vsrc1);
DecodeStatus decode_dpp(DecodeContext& context, unsigned vdst, unsigned vsrc1);
DecodeStatus decode_dpp8(DecodeContext& context, unsigned vdst, unsigned vsrc1, bool fetch_inactive);
DecodeStatus decode_vop3(DecodeContext& context);
DecodeStatus decode_vop3p(DecodeContext& context);
DecodeStatus decode_ds(DecodeContext& context);
DecodeStatus decode_flat(DecodeContext& context);
DecodeStatus decode_mubuf(DecodeContext& context);
DecodeStatus decode_mtbuf(DecodeContext& context);

// The vector ALU reads at most one scalar register (or literal) an instruction on gfx90a, two on gfx1030.
bool within_constant_bus_limit(const Instruction& instruction, bool reads_vcc = false);

}  // namespace kernloop::softgpu
