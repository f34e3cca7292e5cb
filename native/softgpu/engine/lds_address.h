// The address of a DS instruction: a vector register of byte offsets plus an immediate.
#pragma once

#include "softgpu/engine/memory_select.h"

namespace kernloop::softgpu {

inline void check_lds_access(Wave& wave, const Instruction& i, uint32_t offset, uint32_t bytes, AccessKind kind, LaneAddresses& addresses) {
  const VectorRegister& base = *register_rows(wave, i.src[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane) addresses.at[lane] = uint64_t{base[lane]} + offset;
  ++wave.memory->counters.lds;
  wave.memory->check_lds(wave, addresses, wave.exec(), bytes, kind);
}

}  // namespace kernloop::softgpu
