// An instruction with what the interpreter has to know of it.
#pragma once

#include <cstdint>
#include <memory>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// What the interpreter loop counts an instruction as. Memory instructions count themselves (memory_port.h).
enum class InstructionClass : uint8_t { kOther, kValu, kMfma, kSalu, kSmem, kBranch, kBarrier, kVectorMemory, kCount };

constexpr bool is_vector_alu(InstructionClass counted_as) {
  return counted_as == InstructionClass::kValu || counted_as == InstructionClass::kMfma;
}

struct DecodedInstruction : Instruction {
  InstructionClass counted_as = InstructionClass::kOther;
  bool is_vector = false;         // executed by the active lanes
  ExecuteFn untracked = nullptr;  // what `execute` wraps, where writes of EXEC are watched
  ExecuteFn counted = nullptr;    // what `execute` wraps in a profiled cache
  uint32_t number = 0;            // of its place in a profiled cache
  uint64_t address = 0;
  std::shared_ptr<const Instruction> equivalent;  // what `execute` executes in its place (rdna2.h)
};

}  // namespace kernloop::softgpu
