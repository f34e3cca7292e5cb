// A wave that has waited for its stores reads memory after all others can see them: a fence of LLVM's memory model is
// such a wait (AMDGPUUsage, "Memory Model"). The host may hold a store back behind later loads, so a wait after a store
// is a fence of the host; it orders the stores of all waves of the worker. Most waits are for loads, and need none.
#pragma once

#include <atomic>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/wave/memory_counters.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

// Stores count with loads before RDNA, and by themselves since.
inline bool waits_for_stores(const Instruction& instruction) {
  const auto fields = static_cast<uint32_t>(instruction.simm16);
  if (is_rdna(instruction.isa)) return instruction.op == Op::s_waitcnt_vscnt && (fields & 0x3f) == 0;
  return vmcnt_of(fields) == 0;
}

inline void order_stores(Wave& wave, const Instruction&) {
  if (!wave.memory->has_unordered_stores) return std::atomic_thread_fence(std::memory_order_acquire);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wave.memory->has_unordered_stores = false;
}

}  // namespace kernloop::softgpu
