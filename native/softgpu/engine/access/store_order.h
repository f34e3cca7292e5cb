// A wave that has waited for its stores reads memory after all others can see them: a fence of LLVM's memory model is
// such a wait (AMDGPUUsage, "Memory Model"). The host may hold a store back behind later loads.
#pragma once

#include <atomic>

#include "softgpu/engine/wave/memory_counters.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

// Stores count with loads before RDNA, and by themselves since.
inline bool waits_for_stores(const Instruction& instruction) {
  const auto fields = static_cast<uint32_t>(instruction.simm16);
  if (is_rdna(instruction.isa)) return instruction.op == Op::s_waitcnt_vscnt && (fields & 0x3f) == 0;
  return vmcnt_of(fields) == 0;
}

inline void order_stores(Wave&, const Instruction&) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace kernloop::softgpu
