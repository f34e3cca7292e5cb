// Execution of gfx1030's (RDNA2) instructions, and of those that gfx1100 shares with it.
//
// A wave of 32 lanes is one of 64 whose upper half EXEC never enables: EXEC_HI is zero and stays so, and a mask of
// lanes has one scalar register. Most instructions do what one of gfx90a does; it is recorded as their `equivalent` and
// executed, and the parts that RDNA2 keeps and gfx90a does not (the register behind a narrow mask, the other half of a
// register with a 16-bit result) are put back. The rest have functions of their own.
#pragma once

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

ExecuteFn select_rdna2(unsigned wave_size, DecodedInstruction& instruction);

// The parts, one a file. Each returns nullptr for instructions that it does not know.
ExecuteFn select_rdna2_scalar(unsigned wave_size, const Instruction& instruction);  // rdna2_scalar.cpp
ExecuteFn select_rdna2_lanes(unsigned wave_size, const Instruction& instruction);   // rdna2_lanes.cpp

}  // namespace kernloop::softgpu
