// Straight-line runs of prepared instructions: what the interpreter executes without looking at anything in between.
// Only the last instruction of a run may change EXEC, the state of the wave or where it goes on, or look at the program
// counter or at the number of instructions executed. So all of a run is counted at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "softgpu/engine/decoded_instruction.h"

namespace kernloop::softgpu {

struct CodeRun {
  static constexpr unsigned kMaxSteps = 64;

  struct Step {
    ExecuteFn execute;
    const DecodedInstruction* instruction;
  };
  std::vector<Step> steps;  // never empty
  uint64_t by_class[static_cast<size_t>(InstructionClass::kCount)] = {};
  uint32_t number = 0;   // in a profiled cache
  uint64_t vectors = 0;  // instructions that the active lanes execute
  uint64_t valus = 0;    // of these, those of the vector ALU

  void add(const DecodedInstruction& instruction);
};

// Whether a run has to end with the instruction, because it may do one of the things above.
bool ends_run(const DecodedInstruction& instruction);

}  // namespace kernloop::softgpu
