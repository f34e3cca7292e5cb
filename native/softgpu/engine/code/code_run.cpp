#include "softgpu/engine/code/code_run.h"

namespace kernloop::softgpu {

bool is_conditional_branch(const DecodedInstruction& instruction) {
  return facts_of(instruction.op).branch != BranchCondition::kNone;
}

bool ends_run(const DecodedInstruction& instruction) {
  if (instruction.gds) return true;  // may hold the wave at a grid barrier
  return facts_of(instruction.op).effect == OpEffect::kEndsRun;
}

bool accesses_memory(const DecodedInstruction& instruction) {
  return instruction.counted_as == InstructionClass::kVectorMemory || instruction.counted_as == InstructionClass::kSmem;
}

bool adds_all_lanes(const Instruction& instruction) {
  if (!facts_of(instruction.op).has(kAddsLanes)) return false;
  const Operand& lanes = instruction.src[0];
  return lanes.kind == Operand::Kind::kConstant && static_cast<uint32_t>(lanes.value) == ~uint32_t{0};
}

bool may_continue(const CodeRun& run, const DecodedInstruction& instruction) {
  const bool exec_has_changed = !run.steps.empty() && run.steps.back().instruction->untracked;
  return !exec_has_changed || is_conditional_branch(instruction);
}

void CodeRun::add(const DecodedInstruction& instruction) {
  steps.push_back(Step{instruction.execute, &instruction});
  ++by_class[static_cast<size_t>(instruction.counted_as)];
  vectors += instruction.is_vector;
  valus += is_vector_alu(instruction.counted_as);
  ends_with_access = accesses_memory(instruction);
}

}  // namespace kernloop::softgpu
