// Execution of gfx1100's (RDNA3) instructions: most like those of gfx1030 (rdna2.h), under that target's operation if
// they were renamed; two operations in one (VOPD) as the two; the rest by functions of its own.
#pragma once

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

ExecuteFn select_rdna3(unsigned wave_size, DecodedInstruction& instruction);

}  // namespace kernloop::softgpu
