// The parts of select_scalar, one a file. Each returns nullptr for instructions that it does not know.
#pragma once

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

ExecuteFn select_sop1(Op op);                              // sop1.cpp
ExecuteFn select_sop2(Op op);                              // sop2.cpp
ExecuteFn select_sopc(Op op);                              // compare.cpp
ExecuteFn select_sopk(Op op);                              // compare.cpp
ExecuteFn select_control(const Instruction& instruction);  // control.cpp: program flow and wave state, any encoding
ExecuteFn select_hwreg(const Instruction& instruction);    // hwreg.cpp
ExecuteFn select_smem(const Instruction& instruction);     // memory.cpp

}  // namespace kernloop::softgpu
