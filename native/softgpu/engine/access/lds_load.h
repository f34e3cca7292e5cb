// Loads into LDS: a lane's data go to LDS instead of to a register, a dword a lane (Vega ISA 8.1.7, "Memory buffer load
// to LDS"): LDS address = M0[15:0] + the instruction's offset + 4 * lane.
#pragma once

#include "softgpu/engine/access/select.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

inline void store_to_lds(Wave& wave, const Instruction& i, const VectorRegister* fetched) {
  VectorRegister offsets;
  const uint32_t start = (wave.sgpr[kM0] & 0xffff) + static_cast<uint32_t>(i.offset);
  if (start % 4 != 0) raise_unsupported("load into LDS at an offset that is no multiple of 4");
  for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = start + 4 * lane;
  MemoryPort& port = *wave.memory;
  const LdsAccess to = port.check_lds(wave, i, offsets, 0, wave.exec(), 4, AccessKind::kStore);
  port.count_lds(offsets, 0, wave.exec(), 4, AccessKind::kStore);
  store_lanes<Store::kB32>(fetched, to, wave.exec());
}

}  // namespace kernloop::softgpu
