// Straight-line runs of prepared instructions, which the interpreter executes without checks in between. Only the last
// instruction of a run may change EXEC, the state of the wave or the next pc, or read the program counter or the number
// of instructions executed. The whole run is therefore counted at once. (The last but one may change EXEC if a
// conditional branch follows, in which no lane takes part: loops end that way.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

class RunTranslation;  // translate/translator.h

struct CodeRun {
  static constexpr unsigned kMaxSteps = 64;

  struct Step {
    ExecuteFn execute;
    const DecodedInstruction* instruction;
  };
  std::vector<Step> steps;  // never empty
  uint64_t by_class[static_cast<size_t>(InstructionClass::kCount)] = {};
  uint32_t number = 0;                          // in a profiled cache
  uint64_t vectors = 0;                         // instructions that the active lanes execute
  uint64_t valus = 0;                           // vector ALU instructions among these
  bool ends_with_access = false;                // to memory
  bool waits = false;                           // for another wave (waiting_run.h)
  std::shared_ptr<RunTranslation> translation;  // if runs are translated

  void add(const DecodedInstruction& instruction);
};

// Whether the instruction accesses memory: global, LDS or private.
bool accesses_memory(const DecodedInstruction& instruction);
bool is_conditional_branch(const DecodedInstruction& instruction);
// Whether a run has to end with the instruction, because of one of its effects above other than a change of EXEC.
bool ends_run(const DecodedInstruction& instruction);
// Whether a function saves registers of inactive lanes behind it: EXEC grows for a while.
bool adds_all_lanes(const Instruction& instruction);
// Whether the instruction may be appended to the run, which has not ended.
bool may_continue(const CodeRun& run, const DecodedInstruction& instruction);

}  // namespace kernloop::softgpu
