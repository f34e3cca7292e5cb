#include "softgpu/engine/execute/observed.h"

#include <bit>
#include <string_view>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/code/code_run.h"
#include "softgpu/engine/observe/checker.h"
#include "softgpu/engine/observe/late_stores.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/observe/profile.h"
#include "softgpu/engine/wave/memory_counters.h"
#include "softgpu/engine/wave/workgroup.h"

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

// Counts of the port meanwhile belong to this instruction.
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

// How an operation tells which side of a condition a lane, or the wave, is on.
enum class Condition : uint8_t { kNone, kResult, kSource, kScc };

Condition condition_of(const Instruction& instruction) {
  const std::string_view name = op_name(instruction.op);
  const auto begins = [name](std::string_view with) { return name.starts_with(with); };
  if (begins("v_cmp_") && instruction.dst[0].kind == Operand::Kind::kSgpr) return Condition::kResult;
  if (begins("v_cndmask_") && instruction.src[2].kind == Operand::Kind::kSgpr) return Condition::kSource;
  if (begins("s_cmp_") || begins("s_bitcmp") || begins("s_cselect_") || begins("s_cmov")) return Condition::kScc;
  return Condition::kNone;
}

void count_sides(PcCounts& counts, uint64_t lanes, uint64_t holds) {
  counts.true_lanes += static_cast<uint64_t>(std::popcount(lanes & holds));
  counts.false_lanes += static_cast<uint64_t>(std::popcount(lanes & ~holds));
}

// None of them changes EXEC, nor the mask or SCC that it reads. The lanes of a narrow wave end with EXEC.
template <Condition condition>
void execute_condition(Wave& wave, const Instruction& instruction) {
  decoded(instruction).counted(wave, instruction);
  PcCounts& counts = counts_of(wave, instruction);
  if constexpr (condition == Condition::kScc) return count_sides(counts, 1, wave.scc);
  const Operand& mask = condition == Condition::kResult ? instruction.dst[0] : instruction.src[2];
  count_sides(counts, wave.exec(), wave.sgpr64(mask.index));
}

void execute_writing_exec(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = counts_of(wave, instruction);
  const uint64_t before = wave.memory->counters.divergent_branches, lanes = wave.exec();
  decoded(instruction).counted(wave, instruction);
  if (std::string_view(op_name(instruction.op)).starts_with("v_cmpx_")) count_sides(counts, lanes, wave.exec());
  const bool split = wave.memory->counters.divergent_branches != before;
  counts.splits += split;
  static_cast<WaveSlot&>(wave).was_split = split;
}

// A narrow wave's upper half of VCC is a register like any other.
template <unsigned wave_size>
bool jumps(const Wave& wave, BranchCondition condition) {
  const bool any_vcc = (wave.vcc() & (~uint64_t{0} >> (64 - wave_size))) != 0;
  switch (condition) {
    case BranchCondition::kScc0:
      return !wave.scc;
    case BranchCondition::kScc1:
      return wave.scc;
    case BranchCondition::kVccz:
      return !any_vcc;
    case BranchCondition::kVccnz:
      return any_vcc;
    case BranchCondition::kExecz:
      return wave.exec() == 0;
    default:
      return wave.exec() != 0;
  }
}

template <unsigned wave_size>
void execute_branch(Wave& wave, const Instruction& instruction) {
  PcCounts& counts = counts_of(wave, instruction);
  const BranchCondition condition = facts_of(instruction.op).branch;
  const bool taken = jumps<wave_size>(wave, condition);
  counts.taken += taken;
  ++wave.memory->counters.conditional_branches;
  wave.memory->counters.branches_taken += taken;
  if (condition == BranchCondition::kExecz || condition == BranchCondition::kExecnz) {
    bool& was_split = static_cast<WaveSlot&>(wave).was_split;
    counts.split_before += was_split;
    was_split = false;
  }
  decoded(instruction).counted(wave, instruction);
}

void wait_for_memory(Wave& wave, const Instruction& instruction) {
  Checker* checker = wave.memory->checker;
  if (!checker) return;
  auto& slot = static_cast<WaveSlot&>(wave);
  const MemoryWaits waits = waits_of(wave, instruction);
  if (checker->late_stores && waits.stores != MemoryWaits::kAny) checker->late_stores->wait(slot, waits.stores);
  if (checker->races()) checker->races()->wait(slot, waits);
}

}  // namespace

ExecuteFn profiled_execute(unsigned wave_size, const DecodedInstruction& instruction) {
  if (instruction.counted_as == InstructionClass::kVectorMemory || instruction.counted_as == InstructionClass::kSmem) {
    return execute_memory;
  }
  if (instruction.untracked) return execute_writing_exec;
  if (is_conditional_branch(instruction)) return wave_size == 32 ? execute_branch<32> : execute_branch<64>;
  switch (condition_of(instruction)) {
    case Condition::kResult:
      return execute_condition<Condition::kResult>;
    case Condition::kSource:
      return execute_condition<Condition::kSource>;
    case Condition::kScc:
      return execute_condition<Condition::kScc>;
    case Condition::kNone:
      break;
  }
  return instruction.counted;
}

void execute_probed(Wave& wave, const Instruction& instruction) {
  const auto& decoded = static_cast<const DecodedInstruction&>(instruction);
  wave.memory->prober->instruction(decoded);
  decoded.counted(wave, instruction);
}

void execute_waited(Wave& wave, const Instruction& instruction) {
  const auto& decoded = static_cast<const DecodedInstruction&>(instruction);
  Checker* checker = wave.memory->checker;
  if (!checker || !checker->requires_waits()) return decoded.counted(wave, instruction);
  auto& slot = static_cast<WaveSlot&>(wave);
  checker->begin_instruction(slot, decoded);
  decoded.counted(wave, instruction);
  slot.pending.issue(wave, decoded);
}

ExecuteFn select_memory_wait(const Instruction& instruction) {
  return facts_of(instruction.op).waits_for == MemoryWait::kNone ? nullptr : wait_for_memory;
}

}  // namespace kernloop::softgpu
