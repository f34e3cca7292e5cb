// v_cvt_pk_fp8_f32 and v_cvt_pk_bf8_f32 of gfx942: floats rounded to 8 bits.
#pragma once

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// Null if it is another instruction, or has a modifier that it does not take.
ExecuteFn select_float8_result(const Instruction& instruction);

}  // namespace kernloop::softgpu
