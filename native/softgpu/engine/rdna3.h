// How instructions of gfx1100 (RDNA3) execute: most as those of gfx1030 (rdna2.h), whose operation a renamed one is;
// two operations in one (VOPD) as the two; what neither has by functions of its own.
#pragma once

#include "softgpu/engine/decoded_instruction.h"

namespace kernloop::softgpu {

ExecuteFn select_rdna3(unsigned wave_size, DecodedInstruction& instruction);

}  // namespace kernloop::softgpu
