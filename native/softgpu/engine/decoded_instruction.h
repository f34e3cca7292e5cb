// An instruction with what the interpreter has to know of it.
#pragma once

#include <cstdint>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// What the interpreter loop counts an instruction as. Memory instructions count themselves (memory_port.h).
enum class InstructionClass : uint8_t { kOther, kValu, kSalu, kSmem, kBranch, kBarrier, kVectorMemory, kCount };

struct DecodedInstruction : Instruction {
  InstructionClass counted_as = InstructionClass::kOther;
  bool is_vector = false;         // executed by the active lanes
  ExecuteFn untracked = nullptr;  // what `execute` wraps, where writes of EXEC are watched
  uint64_t address = 0;
};

}  // namespace kernloop::softgpu
