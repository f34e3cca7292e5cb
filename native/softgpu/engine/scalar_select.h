// The parts of select_scalar, one a file. Each returns nullptr for instructions that it does not know.
#pragma once

#include "softgpu/engine/wave.h"

namespace kernloop::softgpu {

ExecuteFn select_sop1(Op op);  // scalar_sop1.cpp
ExecuteFn select_sop2(Op op);  // scalar_sop2.cpp
ExecuteFn select_sopc(Op op);  // scalar_compare.cpp
ExecuteFn select_sopk(Op op);  // scalar_compare.cpp
ExecuteFn select_control(
    const Instruction& instruction);  // scalar_control.cpp: program flow and wave state, any encoding
ExecuteFn select_hwreg(const Instruction& instruction);  // scalar_hwreg.cpp
ExecuteFn select_smem(const Instruction& instruction);   // scalar_memory.cpp

}  // namespace kernloop::softgpu
