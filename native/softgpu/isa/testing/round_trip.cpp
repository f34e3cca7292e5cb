#include "softgpu/isa/testing/round_trip.h"

#include <algorithm>
#include <cstring>

#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/operand_fields.h"
#include "softgpu/isa/print_operand.h"

namespace kernloop::softgpu::testing {
namespace {

// v_madmk, v_madak, v_fmamk, v_fmaak and s_setreg_imm32 have their dword in any case: it needs no relocation to be one.
bool always_has_literal(const OpcodeRow& row) {
  const auto is_literal = [](const OperandSpec& spec) { return spec.where == OperandClass::kLiteral; };
  return (row.flags & kLiteralDword) || std::ranges::any_of(row.signature.src, is_literal);
}

// v_cmpx of gfx1030 in the long form, whose result LLVM 15 writes as 0.
bool names_exec_alone(const Instruction& instruction) {
  return instruction.isa == Isa::kGfx1030 && instruction.encoding == Encoding::kVop3 &&
         form_of(instruction.isa, instruction.op).row.signature.dst[0].where == OperandClass::kExec;
}

// LLVM 22 writes no sc1 into atomics of gfx942 that hand a double back in accumulation registers.
bool loses_sc1(const Instruction& instruction) {
  if (instruction.isa != Isa::kGfx942 || instruction.dst_count == 0) return false;
  if (instruction.dst[0].kind != Operand::Kind::kAgpr) return false;
  switch (instruction.op) {
    case Op::flat_atomic_add_f64:
    case Op::flat_atomic_min_f64:
    case Op::flat_atomic_max_f64:
    case Op::global_atomic_add_f64:
    case Op::global_atomic_min_f64:
    case Op::global_atomic_max_f64:
      return true;
    default:
      return false;
  }
}

}  // namespace

AssemblerText assembler_text(const Instruction& instruction) {
  AssemblerText result{disassemble(instruction), false};
  if (always_has_literal(form_of(instruction.isa, instruction.op).row)) return result;
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    const Operand& source = instruction.src[i];
    if (!source.is_literal || literal_is_canonical(source.literal, source.type)) continue;
    const std::string number = hex(source.literal);
    const size_t at = result.text.rfind(" " + number) + 1;
    const std::string relocated =
        "isa_test_there-isa_test_here+" + std::to_string(static_cast<int32_t>(source.literal));
    result.text.replace(at, number.size(), relocated);
    result.relocated = true;
    break;
  }
  return result;
}

Bytes bytes_of(std::span<const uint32_t> words, size_t size) {
  Bytes bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  bytes.resize(size);
  return bytes;
}

void keep_expressible(const Instruction& instruction, Bytes& bytes) {
  constexpr uint8_t kGlcAndScc = 0xc0;
  if (instruction.op == Op::buffer_wbl2 && instruction.isa == Isa::kGfx90a)
    bytes[1] &= static_cast<uint8_t>(~kGlcAndScc);
  constexpr uint8_t kSc1 = 0x02;
  if (loses_sc1(instruction)) bytes[3] &= static_cast<uint8_t>(~kSc1);
  if (names_exec_alone(instruction)) bytes[0] = 0;
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    const Operand& source = instruction.src[i];
    if (source.is_literal && is_sign_extended_half(source.literal, source.type))
      bytes[bytes.size() - 2] = bytes.back() = 0;
  }
}

}  // namespace kernloop::softgpu::testing
