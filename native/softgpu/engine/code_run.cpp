#include "softgpu/engine/code_run.h"

#include "softgpu/engine/profile.h"

namespace kernloop::softgpu {

namespace {

bool scalar_ends_run(Op op) {
  switch (op) {
    case Op::s_getpc_b64:
    case Op::s_setpc_b64:
    case Op::s_swappc_b64:
    case Op::s_rfe_b64:
    case Op::s_movreld_b32:  // its destination may be EXEC
    case Op::s_movreld_b64:
    case Op::s_cbranch_join:
    case Op::s_set_gpr_idx_idx:
    case Op::s_cbranch_g_fork:
    case Op::s_rfe_restore_b64:
    case Op::s_cbranch_i_fork:
    case Op::s_getreg_b32:
    case Op::s_setreg_b32:
    case Op::s_setreg_imm32_b32:
    case Op::s_call_b64:
    case Op::s_setvskip:
    case Op::s_set_gpr_idx_on:
      return true;
    default:
      return false;
  }
}

bool memory_ends_run(Op op) {
  return op == Op::s_memtime || op == Op::s_memrealtime;
}

}  // namespace

bool ends_run(const DecodedInstruction& instruction) {
  switch (instruction.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopK:
    case Encoding::kSopC:
      return scalar_ends_run(instruction.op);
    case Encoding::kSopP:
      return instruction.op != Op::s_nop && instruction.op != Op::s_waitcnt && instruction.op != Op::s_clause &&
             instruction.op != Op::s_inst_prefetch;
    case Encoding::kSmem:
      return memory_ends_run(instruction.op);
    case Encoding::kDs:
      return instruction.gds;  // may hold the wave at a grid barrier
    case Encoding::kInvalid:
      return true;
    default:
      return false;
  }
}

bool accesses_memory(const DecodedInstruction& instruction) {
  return instruction.counted_as == InstructionClass::kVectorMemory || instruction.counted_as == InstructionClass::kSmem;
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
