// The parts of select_memory, one a file. Each returns nullptr for instructions that it does not know.
#pragma once

#include "softgpu/engine/access/atomic.h"
#include "softgpu/engine/access/transfer.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

ExecuteFn select_lds_transfer(const Instruction& instruction);  // lds_transfer.cpp
ExecuteFn select_lds_atomic(const Instruction& instruction);    // lds_atomic.cpp
ExecuteFn select_lds_append(const Instruction& instruction);    // lds_append.cpp: counters of lanes
ExecuteFn select_lds_exchange(const Instruction& instruction);  // lds_exchange.cpp: between lanes, no memory
ExecuteFn select_gws(const Instruction& instruction);           // gws.cpp: barriers of a grid
ExecuteFn select_global(const Instruction& instruction);        // global.cpp
ExecuteFn select_global_to_lds(const Instruction& instruction);
ExecuteFn select_flat(const Instruction& instruction);    // flat.cpp: FLAT and SCRATCH
ExecuteFn select_buffer(const Instruction& instruction);  // buffer.cpp
ExecuteFn select_buffer_to_lds(const Instruction& instruction);

// Device memory is the host's, and coherent: only the race detector needs to know (stale_looks.h).
void invalidate_caches(Wave& wave, const Instruction& instruction);

}  // namespace kernloop::softgpu
