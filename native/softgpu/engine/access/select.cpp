#include "softgpu/engine/access/select.h"

#include "softgpu/engine/observe/checker.h"

namespace kernloop::softgpu {

namespace {

ExecuteFn select_load_to_lds(const Instruction& instruction) {
  if (instruction.encoding == Encoding::kGlobal) return select_global_to_lds(instruction);
  return instruction.encoding == Encoding::kMubuf ? select_buffer_to_lds(instruction) : nullptr;
}

}  // namespace

ExecuteFn select_memory(const Instruction& instruction) {
  if (instruction.tfe) return nullptr;
  if (instruction.lds) return select_load_to_lds(instruction);
  if (instruction.gds) return select_gws(instruction);
  switch (instruction.encoding) {
    case Encoding::kDs:
      if (ExecuteFn transfer = select_lds_transfer(instruction)) return transfer;
      if (ExecuteFn atomic = select_lds_atomic(instruction)) return atomic;
      if (ExecuteFn append = select_lds_append(instruction)) return append;
      return select_lds_exchange(instruction);
    case Encoding::kGlobal:
      return select_global(instruction);
    case Encoding::kFlat:
    case Encoding::kScratch:
      return select_flat(instruction);
    case Encoding::kMubuf:
      return select_buffer(instruction);
    default:
      return nullptr;  // MTBUF: typed formats
  }
}

void invalidate_caches(Wave& wave, const Instruction& instruction) {
  RaceDetector* const races = wave.memory->checker ? wave.memory->checker->races() : nullptr;
  if (races) races->invalidate(static_cast<WaveSlot&>(wave), caches_invalidated_by(instruction));
}

}  // namespace kernloop::softgpu
