// The parts of select_memory, one a file. Each returns nullptr for instructions that it does not know.
#pragma once

#include "softgpu/engine/atomic.h"
#include "softgpu/engine/transfer.h"
#include "softgpu/engine/wave.h"

namespace kernloop::softgpu {

ExecuteFn select_lds_transfer(const Instruction& instruction);  // memory_lds_transfer.cpp
ExecuteFn select_lds_atomic(const Instruction& instruction);    // memory_lds_atomic.cpp
ExecuteFn select_lds_append(const Instruction& instruction);    // memory_lds_append.cpp: counters of lanes
ExecuteFn select_lds_exchange(const Instruction& instruction);  // memory_lds_exchange.cpp: between lanes, no memory
ExecuteFn select_gws(const Instruction& instruction);           // memory_gws.cpp: barriers of a grid
ExecuteFn select_global(const Instruction& instruction);        // memory_global.cpp
ExecuteFn select_global_to_lds(const Instruction& instruction);
ExecuteFn select_flat(const Instruction& instruction);    // memory_flat.cpp: FLAT and SCRATCH
ExecuteFn select_buffer(const Instruction& instruction);  // memory_buffer.cpp
ExecuteFn select_buffer_to_lds(const Instruction& instruction);

}  // namespace kernloop::softgpu
