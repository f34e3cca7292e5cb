#include "softgpu/engine/profile.h"

#include "softgpu/engine/code_cache.h"
#include "softgpu/engine/memory_port.h"
#include "softgpu/engine/workgroup.h"

namespace kernloop::softgpu {

namespace {

const DecodedInstruction& decoded(const Instruction& instruction) {
  return static_cast<const DecodedInstruction&>(instruction);
}

PcCounts& begin(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = wave.memory->profiler->at(decoded(instruction).number);
  ++counts.executed;
  return counts;
}

uint64_t active_lanes(const Wave& wave) {
  return static_cast<unsigned>(__builtin_popcountll(wave.exec()));
}

void execute_scalar(Wave& wave, const Instruction& instruction) {
  begin(wave, instruction);
  decoded(instruction).counted(wave, instruction);
}

void execute_vector(Wave& wave, const Instruction& instruction) {
  begin(wave, instruction).lanes += active_lanes(wave);
  decoded(instruction).counted(wave, instruction);
}

// What the port counted meanwhile is this instruction's.
void execute_memory(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = begin(wave, instruction);
  if (decoded(instruction).is_vector) counts.lanes += active_lanes(wave);
  const Counters& port = wave.memory->counters;
  const Counters before = port;
  decoded(instruction).counted(wave, instruction);
#define KERNLOOP_CAUSED(name) counts.name += port.name - before.name;
  KERNLOOP_CAUSED(memory_transactions)
  KERNLOOP_CAUSED(memory_lines_128)
  KERNLOOP_CAUSED(bytes_read)
  KERNLOOP_CAUSED(bytes_written)
  KERNLOOP_CAUSED(scratch_bytes_read)
  KERNLOOP_CAUSED(scratch_bytes_written)
  KERNLOOP_CAUSED(lds_passes)
  KERNLOOP_CAUSED(lds_bank_conflicts)
  KERNLOOP_CAUSED(lds_address_conflicts)
#undef KERNLOOP_CAUSED
}

void execute_writing_exec(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = begin(wave, instruction);
  if (decoded(instruction).is_vector) counts.lanes += active_lanes(wave);
  const uint64_t before = wave.memory->counters.divergent_branches;
  decoded(instruction).counted(wave, instruction);
  const bool split = wave.memory->counters.divergent_branches != before;
  counts.splits += split;
  static_cast<WaveSlot&>(wave).was_split = split;
}

bool jumps(const Wave& wave, Op op) {
  switch (op) {
    case Op::s_cbranch_scc0:
      return !wave.scc;
    case Op::s_cbranch_scc1:
      return wave.scc;
    case Op::s_cbranch_vccz:
      return wave.vcc() == 0;
    case Op::s_cbranch_vccnz:
      return wave.vcc() != 0;
    case Op::s_cbranch_execz:
      return wave.exec() == 0;
    default:
      return wave.exec() != 0;
  }
}

void execute_branch(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = begin(wave, instruction);
  const bool taken = jumps(wave, instruction.op);
  counts.taken += taken;
  ++wave.memory->counters.conditional_branches;
  wave.memory->counters.branches_taken += taken;
  if (instruction.op == Op::s_cbranch_execz || instruction.op == Op::s_cbranch_execnz) {
    bool& was_split = static_cast<WaveSlot&>(wave).was_split;
    counts.split_before += was_split;
    was_split = false;
  }
  decoded(instruction).counted(wave, instruction);
}

}  // namespace

void Profiler::grow(uint32_t number) {
  counts_.resize(size_t{number} + 256);
}

bool is_conditional_branch(const DecodedInstruction& instruction) {
  switch (instruction.op) {
    case Op::s_cbranch_scc0:
    case Op::s_cbranch_scc1:
    case Op::s_cbranch_vccz:
    case Op::s_cbranch_vccnz:
    case Op::s_cbranch_execz:
    case Op::s_cbranch_execnz:
      return true;
    default:
      return false;
  }
}

ExecuteProfiledFn profiled_execute(const DecodedInstruction& instruction) {
  if (instruction.counted_as == InstructionClass::kVectorMemory || instruction.counted_as == InstructionClass::kSmem) {
    return execute_memory;
  }
  if (instruction.untracked) return execute_writing_exec;
  if (is_conditional_branch(instruction)) return execute_branch;
  return instruction.is_vector ? execute_vector : execute_scalar;
}

}  // namespace kernloop::softgpu
