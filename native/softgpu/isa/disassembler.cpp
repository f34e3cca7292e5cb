// Instructions in LLVM's assembly syntax, such that llvm-mc, for the same target, assembles the text to the same bytes.
#include <string>
#include <vector>

#include "softgpu/isa/decoder.h"
#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/print_immediates.h"
#include "softgpu/isa/print_operand.h"

namespace kernloop::softgpu {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string mnemonic(const Instruction& instruction, const OpcodeRow& row) {
  std::string name(op_name(instruction.isa, instruction.op));
  switch (instruction.encoding) {
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopC:
      if (instruction.is_sdwa) return name + "_sdwa";
      if (instruction.is_dpp) return name + "_dpp";
      return row.flags & kBare ? name : name + "_e32";
    case Encoding::kVop3:
      if (instruction.is_dpp) return name + "_e64_dpp";
      return is_promoted_to_vop3(instruction.isa, instruction.op) ? name + "_e64" : name;
    case Encoding::kVop3p:
      return instruction.is_dpp ? name + "_e64_dpp" : name;
    default:
      return name;
  }
}

std::vector<std::string> operands(const Instruction& instruction, const OpcodeRow& row) {
  std::vector<std::string> parts;
  for (unsigned i = 0; i < instruction.dst_count; ++i) {
    if (row.signature.dst[i].where == OperandClass::kExec) continue;
    parts.push_back(print_register_or_constant(instruction.isa, instruction.dst[i]));
  }
  for (unsigned i = 0; i < instruction.src_count; ++i)
    parts.push_back(print_source(instruction.isa, instruction.src[i]));
  return parts;
}

// SOPP and SOPK immediates: LLVM writes small numbers in decimal, others in hexadecimal.
std::string print_number(unsigned value) {
  return value <= 64 ? std::to_string(value) : hex(value);
}

std::string print_scalar_immediate(const Instruction& instruction, uint64_t flags) {
  const unsigned simm16 = static_cast<unsigned>(instruction.simm16) & 0xffff;
  if (instruction.encoding == Encoding::kSop1) return flags & kMessage ? std::to_string(simm16) : "";
  if (flags & kHwreg) return print_hwreg(instruction.isa, simm16);
  if (flags & kWaitcnt) return print_waitcnt(instruction.isa, simm16);
  if (flags & kMessage) return print_message(instruction.isa, simm16);
  if (flags & kGprIndex) return print_gpr_index(simm16);
  if (flags & kLabel) return std::to_string(simm16);
  if (flags & kHex) return hex(simm16);
  if (flags & kUnless0) return simm16 == 0 ? "" : std::to_string(simm16);
  if (flags & kNumber) return print_number(simm16);
  return "";
}

std::string print_sop(const Instruction& instruction, const OpcodeRow& row) {
  std::vector<std::string> parts = operands(instruction, row);
  const std::string immediate = print_scalar_immediate(instruction, row.flags);
  if (!immediate.empty()) {
    const bool first = (row.flags & kHwreg) && instruction.dst_count == 0;  // s_setreg names its target first
    parts.insert(first ? parts.begin() : parts.end(), immediate);
  }
  return join(parts);
}

std::string print_smem(const Instruction& instruction, const OpcodeRow& row) {
  std::vector<std::string> parts;
  bool has_offset = false;
  for (unsigned i = 0; i < row.signature.src_count; ++i) {
    has_offset |= row.signature.src[i].where == OperandClass::kScalarOffset;
  }
  for (unsigned i = 0; i < instruction.dst_count; ++i) {
    // A returning atomic writes its data operand, which is printed once.
    if (!(row.flags & kReturnsIfGlc)) parts.push_back(print_register_or_constant(instruction.isa, instruction.dst[i]));
  }
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    const bool number = row.signature.src[i].where == OperandClass::kProbe;
    parts.push_back(number ? print_number(static_cast<unsigned>(instruction.src[i].value))
                           : print_register_or_constant(instruction.isa, instruction.src[i]));
  }
  const uint32_t offset = static_cast<uint32_t>(instruction.offset);
  const std::string offset_text =
      instruction.offset < 0 ? std::string("-").append(hex(static_cast<uint64_t>(-int64_t{instruction.offset})))
                             : hex(offset);
  if (has_offset && !instruction.soffset_en) parts.push_back(offset_text);
  std::string text = join(parts);
  if (has_offset && instruction.offen) text += " offset:" + offset_text;
  if (instruction.glc) text += " glc";
  if (instruction.dlc) text += " dlc";
  return text;
}

std::string bit_list(unsigned value, unsigned count) {
  std::string text = "[";
  for (unsigned i = 0; i < count; ++i) text += std::string(i ? "," : "") + (value >> i & 1 ? "1" : "0");
  return text + "]";
}

std::string print_output_modifiers(const Instruction& instruction) {
  static constexpr const char* kOmodNames[] = {"", " mul:2", " mul:4", " div:2"};
  return std::string(instruction.clamp ? " clamp" : "") + kOmodNames[instruction.omod & 3];
}

const char* select_name(unsigned select) {
  static constexpr const char* kNames[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  return kNames[select];
}

std::string print_dpp8(const Instruction& instruction) {
  std::string text = " dpp8:[";
  for (unsigned i = 0; i < 8; ++i)
    text += std::string(i ? "," : "") + std::to_string(instruction.dpp8_lanes >> (3 * i) & 7);
  return text + "]" + (instruction.fetch_inactive ? " fi:1" : "");
}

std::string print_dpp_control(Isa isa, unsigned control) {
  if (control <= 0xff) {
    std::string text = "quad_perm:[";
    for (unsigned i = 0; i < 4; ++i) text += std::string(i ? "," : "") + std::to_string(control >> (2 * i) & 3);
    return text + "]";
  }
  const std::string amount = std::to_string(control & 0xf);
  switch (control >> 4) {
    case 0x10:
      return "row_shl:" + amount;
    case 0x11:
      return "row_shr:" + amount;
    case 0x12:
      return "row_ror:" + amount;
    case 0x15:
      return (isa == Isa::kGfx1030 || isa == Isa::kGfx1100 ? "row_share:" : "row_newbcast:") + amount;
    case 0x16:
      return "row_xmask:" + amount;
    default:
      break;
  }
  switch (control) {
    case 0x130:
      return "wave_shl:1";
    case 0x134:
      return "wave_rol:1";
    case 0x138:
      return "wave_shr:1";
    case 0x13c:
      return "wave_ror:1";
    case 0x140:
      return "row_mirror";
    case 0x141:
      return "row_half_mirror";
    case 0x142:
      return "row_bcast:15";
    default:
      return "row_bcast:31";
  }
}

std::string print_sdwa(const Instruction& instruction, const OpcodeRow& row) {
  std::string text = print_output_modifiers(instruction);
  if (instruction.encoding != Encoding::kVopC && !(row.flags & kSourceSelect)) {
    static constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    text +=
        std::string(" dst_sel:") + select_name(instruction.dst_sel) + " dst_unused:" + kUnused[instruction.dst_unused];
  }
  for (unsigned i = 0; i < instruction.src_count && i < 2; ++i) {
    if (instruction.src[i].type == OperandType::kMask) continue;
    text += " src" + std::to_string(i) + "_sel:" + select_name(instruction.src[i].sdwa_select);
  }
  return text;
}

std::string print_dpp(const Instruction& instruction) {
  if (instruction.is_dpp8) return print_dpp8(instruction);
  return std::string(" ") + print_dpp_control(instruction.isa, instruction.dpp_ctrl) +
         " row_mask:" + hex(instruction.row_mask) + " bank_mask:" + hex(instruction.bank_mask) +
         (instruction.bound_ctrl ? " bound_ctrl:1" : "") + (instruction.fetch_inactive ? " fi:1" : "");
}

// One a source that has halves, then the result's; the accumulator of v_fmac_f16 is the result, named once more.
std::string print_halves(const Instruction& instruction) {
  unsigned count = 0, listed = 0;
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    if (instruction.src[i].type != OperandType::kMask) listed |= (instruction.op_sel >> i & 1u) << count++;
  }
  const unsigned result = instruction.op_sel >> 3 & 1;
  if (instruction.isa == Isa::kGfx1100 && instruction.op == Op::v_fmac_f16) listed |= result << count++;
  return bit_list(listed | result << count, count + 1);
}

std::string print_vop(const Instruction& instruction, const OpcodeRow& row) {
  std::string text = join(operands(instruction, row));
  if (instruction.is_sdwa) return text + print_sdwa(instruction, row);
  if (instruction.encoding != Encoding::kVop3) return instruction.is_dpp ? text + print_dpp(instruction) : text;
  const std::string lanes = instruction.is_dpp ? print_dpp(instruction) : "";
  if (row.flags & kPermlane) return text + (instruction.op_sel ? " op_sel:" + bit_list(instruction.op_sel, 2) : "");
  if ((row.flags & kByteSelect) && instruction.op_sel != 0) {
    text += " op_sel:" + bit_list(instruction.op_sel, 4);
  } else if (instruction.op_sel != 0 && !(row.flags & kNamedHalves)) {
    text += " op_sel:" + print_halves(instruction);
  }
  return text + print_output_modifiers(instruction) + lanes;
}

std::string print_vop3p(const Instruction& instruction, const OpcodeRow& row) {
  std::string text = join(operands(instruction, row));
  if (row.flags & kAccvgpr) return text;
  if (row.flags & kMfma) {
    if (instruction.cbsz != 0) text += " cbsz:" + std::to_string(instruction.cbsz);
    if (instruction.abid != 0) text += " abid:" + std::to_string(instruction.abid);
    if (instruction.blgp == 0) return text;
    // The bits that permute B negate A, B and C if they are doubles.
    return text +
           (row.flags & kNeg ? " neg:" + bit_list(instruction.blgp, 3) : " blgp:" + std::to_string(instruction.blgp));
  }
  const unsigned count = instruction.src_count;
  const unsigned all = (1u << count) - 1;
  const unsigned default_hi = row.flags & kMix ? 0 : all;
  const std::string lanes = instruction.is_dpp ? print_dpp(instruction) : "";
  if (instruction.op_sel != 0) text += " op_sel:" + bit_list(instruction.op_sel, count);
  if (instruction.op_sel_hi != default_hi) text += " op_sel_hi:" + bit_list(instruction.op_sel_hi, count);
  if (instruction.neg_lo != 0) text += " neg_lo:" + bit_list(instruction.neg_lo, count);
  if (instruction.neg_hi != 0) text += " neg_hi:" + bit_list(instruction.neg_hi, count);
  return text + print_output_modifiers(instruction) + lanes;
}

std::string print_ds(const Instruction& instruction, const OpcodeRow& row) {
  std::string text = join(operands(instruction, row));
  if (row.flags & kTwoOffsets) {
    if (instruction.offset0 != 0) text += " offset0:" + std::to_string(instruction.offset0);
    if (instruction.offset1 != 0) text += " offset1:" + std::to_string(instruction.offset1);
  } else if (instruction.offset != 0) {
    text += " offset:" + std::to_string(instruction.offset);
  }
  return text + (instruction.gds ? " gds" : "");
}

// gfx942 names them by scope.
std::string print_scopes(const Instruction& instruction) {
  return std::string(instruction.glc ? " sc0" : "") + (instruction.slc ? " nt" : "") + (instruction.scc ? " sc1" : "");
}

std::string print_cache_flags(const Instruction& instruction, const OpcodeRow& row) {
  if (instruction.isa == Isa::kGfx942) {
    const bool named = instruction.lds && !(row.flags & kLdsOnly);
    return print_scopes(instruction) + (named ? " lds" : "");
  }
  const std::string coherence =
      std::string(instruction.glc ? " glc" : "") + (instruction.slc ? " slc" : "") + (instruction.dlc ? " dlc" : "");
  if (row.flags & kLdsOnly) return " lds" + coherence;
  return coherence + (instruction.lds ? " lds" : "");
}

std::string print_flat(const Instruction& instruction, const OpcodeRow& row) {
  std::string text = join(operands(instruction, row));
  if (instruction.offset != 0) text += " offset:" + std::to_string(instruction.offset);
  return text + print_cache_flags(instruction, row);
}

// gfx1030 and gfx1100 have one list of formats; the assembler takes its numbers.
std::string print_unified_format(unsigned format) {
  constexpr unsigned kDefault = 1;
  return format == kDefault ? "" : " format:" + std::to_string(format);
}

std::string print_mtbuf_format(Isa isa, unsigned format) {
  if (isa == Isa::kGfx1030 || isa == Isa::kGfx1100) return print_unified_format(format);
  static constexpr const char* kData[] = {"INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
                                          "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
                                          "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
  static constexpr const char* kNumber[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                            "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
  const unsigned data = format & 0xf;
  const unsigned number = format >> 4 & 7;
  if (data == 1 && number == 0) return "";  // the default
  const std::string data_text = std::string("BUF_DATA_FORMAT_") + kData[data];
  const std::string number_text = std::string("BUF_NUM_FORMAT_") + kNumber[number];
  if (number == 0) return " format:[" + data_text + "]";
  if (data == 1) return " format:[" + number_text + "]";
  return " format:[" + data_text + "," + number_text + "]";
}

std::string print_buffer(const Instruction& instruction, const OpcodeRow& row) {
  if ((row.flags & kCoherent) && instruction.isa == Isa::kGfx942) return print_scopes(instruction);
  if (row.flags & kCoherent) return "";  // LLVM's syntax has no place for the flags of buffer_wbl2
  std::vector<std::string> parts;
  if (!(row.flags & kReturnsIfGlc)) {
    for (unsigned i = 0; i < instruction.dst_count; ++i) {
      parts.push_back(print_register_or_constant(instruction.isa, instruction.dst[i]));
    }
  }
  for (unsigned i = 0; i < instruction.src_count; ++i)
    parts.push_back(print_register_or_constant(instruction.isa, instruction.src[i]));
  std::string text = join(parts);
  if (instruction.encoding == Encoding::kMtbuf) text += print_mtbuf_format(instruction.isa, instruction.mtbuf_format);
  if (instruction.idxen) text += " idxen";
  if (instruction.offen) text += " offen";
  if (instruction.offset != 0) text += " offset:" + std::to_string(instruction.offset);
  return text + print_cache_flags(instruction, row);
}

std::string print_body(const Instruction& instruction, const OpcodeRow& row) {
  switch (instruction.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopK:
    case Encoding::kSopC:
    case Encoding::kSopP:
      return print_sop(instruction, row);
    case Encoding::kSmem:
      return print_smem(instruction, row);
    case Encoding::kVop1:
    case Encoding::kVop2:
    case Encoding::kVopC:
    case Encoding::kVop3:
      return print_vop(instruction, row);
    case Encoding::kVop3p:
      return print_vop3p(instruction, row);
    case Encoding::kDs:
      return print_ds(instruction, row);
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch:
      return print_flat(instruction, row);
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
      return print_buffer(instruction, row);
    case Encoding::kVopd:
    case Encoding::kInvalid:
      break;
  }
  return "";
}

// One of the two operations of VOPD.
std::string print_dual(const Instruction& instruction, unsigned which) {
  const Op op = which == 0 ? instruction.op : instruction.second;
  const auto named = [&](const Operand& operand) { return print_register_or_constant(instruction.isa, operand); };
  const Operand* sources = instruction.src + 2 * size_t{which};
  std::vector<std::string> parts = {named(instruction.dst[which]), named(sources[0])};
  if (op == Op::v_fmamk_f32) parts.push_back(hex(instruction.literal_dword));
  if (op != Op::v_mov_b32) parts.push_back(named(sources[1]));
  if (op == Op::v_fmaak_f32) parts.push_back(hex(instruction.literal_dword));
  return std::string("v_dual_").append(op_name(instruction.isa, op).substr(2)) + " " + join(parts);
}

}  // namespace

std::string disassemble(const Instruction& instruction) {
  if (instruction.encoding == Encoding::kVopd) return print_dual(instruction, 0) + " :: " + print_dual(instruction, 1);
  const OpcodeRow* row = find_row(instruction.isa, instruction.encoding, instruction.op);
  if (row == nullptr) return "invalid";
  std::string name = mnemonic(instruction, *row);
  const std::string body = print_body(instruction, *row);
  if (body.empty()) return name;
  return body.front() == ' ' ? name + body : name + " " + body;
}

}  // namespace kernloop::softgpu
