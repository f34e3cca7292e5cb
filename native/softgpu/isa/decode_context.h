// State shared by the decoders of the encodings: the words, the literal that may follow, and the instruction being
// built.
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

  // VOPD has no row of its own.
  void begin_dual(Op first, Op second) {
    instruction.encoding = Encoding::kVopd;
    instruction.op = first;
    instruction.second = second;
    instruction.size_bytes = 8;
    literal_at_ = 2;
  }

  Isa isa() const { return target_.isa; }
  bool is_gfx1030() const { return target_.isa == Isa::kGfx1030; }
  bool is_gfx1100() const { return target_.isa == Isa::kGfx1100; }
  bool is_rdna() const { return is_gfx1030() || is_gfx1100(); }
  unsigned wave_size() const { return target_.wave_size; }
  bool is_gfx942() const { return target_.isa == Isa::kGfx942; }

  // The operand that a field names; false if the target has no such register or constant.
  bool sgpr(unsigned code, OperandType type, Operand& operand) const {
    code = scalar_code(isa(), code);
    if (type != OperandType::kMask || target_.wave_size == 64) return sgpr_operand(isa(), code, type, operand);
    return narrow_mask(sgpr_operand(isa(), code, OperandType::kB32, operand), operand);
  }
  bool vgpr(unsigned index, OperandType type, Operand& operand) const {
    return vgpr_operand(isa(), index, type, operand);
  }
  bool agpr(unsigned index, OperandType type, Operand& operand) const {
    return !is_rdna() && agpr_operand(isa(), index, type, operand);
  }
  bool scalar(unsigned code, OperandType type, Operand& operand) const {
    code = scalar_code(isa(), code);
    if (type != OperandType::kMask || target_.wave_size == 64) return scalar_source(isa(), code, type, operand);
    return narrow_mask(scalar_source(isa(), code, OperandType::kB32, operand), operand);
  }
  // A vector register of the short forms, whose field gives 16-bit operands of gfx1100 seven bits and the half.
  bool short_vgpr(unsigned field, OperandType type, Operand& operand) const {
    if (!is_half(type)) return vgpr(field, type, operand);
    return vgpr(field & 0x7f, type, operand) && name_half(field >> 7, operand);
  }
  bool is_half(OperandType type) const { return is_gfx1100() && is_16_bit(type) && !is_packed(type); }
  static bool name_half(bool high, Operand& operand) {
    operand.sdwa_select = high ? kHighHalf : kLowHalf;
    return true;
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
    // A relocated literal may take any value; relocations are 32 bits wide. The same holds for a packed literal, of
    // which LLVM 15 checks only the low half.
    const bool any_value = dwords_of(type) == 1 && (!is_16_bit(type) || is_packed(type));
    return any_value || literal_is_canonical(instruction.literal_dword, type);
  }

  // The K of v_madmk and v_madak: always a dword, so any value is canonical that fits the operand.
  bool k_literal(OperandType type, Operand& operand) {
    literal(type, operand);
    const bool fits = instruction.literal_dword <= 0xffff || is_sign_extended_half(instruction.literal_dword, type);
    if (truncated_ || (type == OperandType::kF16 && !fits)) return false;
    // A source that names K again is no relocation.
    const Operand& src0 = instruction.src[0];
    return !src0.is_literal || literal_is_canonical(src0.literal, src0.type);
  }

  // A scalar source field that may name a literal (SOP encodings).
  bool scalar_or_literal(unsigned code, OperandType type, Operand& operand) {
    return code == kCodeLiteral ? literal(type, operand) : scalar(code, type, operand);
  }

  // A dword behind the encoding that is no literal: the lanes of VOP3 with DPP.
  bool control_word(unsigned at, uint32_t& dword) {
    truncated_ = truncated_ || !has_word(at);
    if (truncated_) return false;
    dword = word(at);
    instruction.size_bytes = static_cast<uint8_t>(4 * (at + 1));
    return true;
  }

  DecodeStatus refuse() const { return truncated_ ? DecodeStatus::kTruncated : DecodeStatus::kUnknown; }
  DecodeStatus truncated() const { return DecodeStatus::kTruncated; }

 private:
  static bool narrow_mask(bool valid, Operand& operand) {
    operand.type = OperandType::kMask;
    return valid;
  }

  static constexpr uint8_t kLowHalf = 4, kHighHalf = 5;  // Operand::sdwa_select

  Target target_;
  std::span<const uint32_t> words_;
  const OpcodeRow* row_ = nullptr;
  unsigned literal_at_ = 1;
  bool truncated_ = false;
};

// An address register that is not there.
inline Operand off_operand(OperandType type) {
  Operand operand;
  operand.kind = Operand::Kind::kOff;
  operand.type = type;
  operand.dwords = 0;
  return operand;
}

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
// The control of DPP and its vector register: the dword that a source field of 250 (or 233, 234) announces.
bool is_dpp_code(const DecodeContext& context, unsigned code);
bool dpp_control(DecodeContext& context, unsigned code, uint32_t dword);
DecodeStatus decode_vop3(DecodeContext& context);
DecodeStatus decode_vopd(DecodeContext& context);
DecodeStatus decode_vop3p(DecodeContext& context);
DecodeStatus decode_ds(DecodeContext& context);
DecodeStatus decode_flat(DecodeContext& context);
DecodeStatus decode_mubuf(DecodeContext& context);
DecodeStatus decode_mtbuf(DecodeContext& context);
DecodeStatus decode_flat_gfx1100(DecodeContext& context);
DecodeStatus decode_mubuf_gfx1100(DecodeContext& context);
DecodeStatus decode_mtbuf_gfx1100(DecodeContext& context);

// The vector ALU reads at most one scalar register (or literal) an instruction on gfx90a, two on gfx1030 and gfx1100.
bool within_constant_bus_limit(const Instruction& instruction, bool reads_vcc = false);

}  // namespace kernloop::softgpu
