// An instruction with the facts that the interpreter needs.
#pragma once

#include <cstdint>
#include <memory>

#include "softgpu/isa/op_facts.h"

namespace kernloop::softgpu {

// State of the wave that the function around an `equivalent` puts back after executing it.
enum class Keeps : uint8_t { kNothing, kMaskNeighbour, kHighHalf, kOther };

struct DecodedInstruction : Instruction {
  InstructionClass counted_as = InstructionClass::kOther;
  bool is_vector = false;         // executed by the active lanes
  ExecuteFn untracked = nullptr;  // wrapped by `execute`, if writes of EXEC are watched
  ExecuteFn counted = nullptr;    // wrapped by `execute` in a cache that is not only for execution
  uint32_t number = 0;            // number of its place in a profiled cache
  uint64_t address = 0;
  std::shared_ptr<const Instruction> equivalent;  // executed by `execute` in its place (rdna2.h)
  Keeps keeps = Keeps::kNothing;
};

// The `equivalent` of an instruction that does two operations at once (VOPD). `first` may be executed before `second`
// if that reads nothing that `first` writes.
struct DualInstruction : Instruction {
  DecodedInstruction first, second;
};

}  // namespace kernloop::softgpu
