#include "softgpu/engine/profile.h"

#include "softgpu/engine/code_cache.h"
#include "softgpu/engine/memory_port.h"
#include "softgpu/engine/workgroup.h"

namespace kernloop::softgpu {

namespace {

const DecodedInstruction& decoded(const Instruction& instruction) {
  return static_cast<const DecodedInstruction&>(instruction);
}

PcCounts& counts_of(Wave& wave, const Instruction& instruction) {
  return wave.memory->profiler->at(decoded(instruction).number);
}

// clang-format off
#define KERNLOOP_PORT_FIELDS(X)                                                    \
  X(memory_transactions) X(memory_lines_128) X(bytes_read) X(bytes_written)        \
  X(scratch_bytes_read) X(scratch_bytes_written)                                   \
  X(lds_passes) X(lds_bank_conflicts) X(lds_address_conflicts)
// clang-format on

// What the port counted meanwhile is this instruction's.
void execute_memory(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = counts_of(wave, instruction);
  const Counters& port = wave.memory->counters;
#define KERNLOOP_BEFORE(name) const uint64_t before_##name = port.name;
  KERNLOOP_PORT_FIELDS(KERNLOOP_BEFORE)
#undef KERNLOOP_BEFORE
  decoded(instruction).counted(wave, instruction);
#define KERNLOOP_CAUSED(name) counts.name += port.name - before_##name;
  KERNLOOP_PORT_FIELDS(KERNLOOP_CAUSED)
#undef KERNLOOP_CAUSED
}

void execute_writing_exec(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = counts_of(wave, instruction);
  const uint64_t before = wave.memory->counters.divergent_branches;
  decoded(instruction).counted(wave, instruction);
  const bool split = wave.memory->counters.divergent_branches != before;
  counts.splits += split;
  static_cast<WaveSlot&>(wave).was_split = split;
}

// A narrow wave's upper half of VCC is a register like any other.
template <unsigned wave_size>
bool jumps(const Wave& wave, Op op) {
  const bool any_vcc = (wave.vcc() & (~uint64_t{0} >> (64 - wave_size))) != 0;
  switch (op) {
    case Op::s_cbranch_scc0:
      return !wave.scc;
    case Op::s_cbranch_scc1:
      return wave.scc;
    case Op::s_cbranch_vccz:
      return !any_vcc;
    case Op::s_cbranch_vccnz:
      return any_vcc;
    case Op::s_cbranch_execz:
      return wave.exec() == 0;
    default:
      return wave.exec() != 0;
  }
}

template <unsigned wave_size>
void execute_branch(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = counts_of(wave, instruction);
  const bool taken = jumps<wave_size>(wave, instruction.op);
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

const PcCounts Profiler::kNothing;

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

ExecuteProfiledFn profiled_execute(unsigned wave_size, const DecodedInstruction& instruction) {
  if (instruction.counted_as == InstructionClass::kVectorMemory || instruction.counted_as == InstructionClass::kSmem) {
    return execute_memory;
  }
  if (instruction.untracked) return execute_writing_exec;
  if (is_conditional_branch(instruction)) return wave_size == 32 ? execute_branch<32> : execute_branch<64>;
  return instruction.counted;
}

}  // namespace kernloop::softgpu
