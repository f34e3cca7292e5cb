// Decodes one instruction of a target from its bytes. No knowledge of execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

enum class DecodeStatus : uint8_t {
  kOk,
  kTruncated,  // the bytes end inside the instruction
  kUnknown,    // no such opcode, or a reserved field is set: refuse, never guess
};

struct DecodeResult {
  DecodeStatus status;
  Instruction instruction;  // valid when status == kOk
};

// `words`: the bytes from the instruction on, as little-endian dwords.
DecodeResult decode(Target target, std::span<const uint32_t> words);

// LLVM's syntax (llvm-mc with the target's -mcpu assembles it back to the same bytes), e.g. "v_add_f32_e32 v0, s4, v1".
// Branches print their raw simm16, as llvm-mc accepts.
std::string disassemble(const Instruction& instruction);

}  // namespace kernloop::softgpu
