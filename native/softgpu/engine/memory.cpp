#include "softgpu/engine/memory_select.h"

namespace kernloop::softgpu {

ExecuteFn select_memory(const Instruction& instruction) {
  if (instruction.lds || instruction.tfe) return nullptr;
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

}  // namespace kernloop::softgpu
