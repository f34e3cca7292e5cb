#include "softgpu/engine/wave/memory_counters.h"

#include "softgpu/engine/wave/wave.h"
#include "softgpu/isa/op_facts.h"
#include "softgpu/isa/operand_fields.h"

namespace kernloop::softgpu {

namespace {

MemoryWaits waits_of_fields(Isa isa, uint32_t fields) {
  if (isa == Isa::kGfx1100) return {.vectors = fields >> 10 & 63, .lgkm = fields >> 4 & 63};
  MemoryWaits waits{.vectors = vmcnt_of(fields), .lgkm = fields >> 8 & (is_rdna(isa) ? 63 : 15)};
  if (!is_rdna(isa) && waits.vectors != 63) waits.stores = waits.vectors;
  return waits;
}

// Compilers use the forms of one counter with null; with a register, its value is added to the count.
uint64_t outstanding(const Wave& wave, const Instruction& instruction) {
  const Operand& more = instruction.src[0];
  const bool is_named = instruction.src_count > 0 && more.kind == Operand::Kind::kSgpr && more.index != kCodeNull;
  return (static_cast<uint32_t>(instruction.simm16) & 63) + (is_named ? wave.sgpr[more.index] : 0);
}

}  // namespace

MemoryWaits waits_of(const Wave& wave, const Instruction& instruction) {
  switch (facts_of(instruction.op).waits_for) {
    case MemoryWait::kWaitcnt:
      return waits_of_fields(instruction.isa, static_cast<uint32_t>(instruction.simm16));
    case MemoryWait::kVmcnt:
      return {.vectors = outstanding(wave, instruction)};
    case MemoryWait::kVscnt:
      return {.stores = outstanding(wave, instruction)};
    case MemoryWait::kLgkmcnt:
      return {.lgkm = outstanding(wave, instruction)};
    case MemoryWait::kAll:
      return {0, 0, 0};
    case MemoryWait::kNone:
      break;
  }
  return {};
}

}  // namespace kernloop::softgpu
