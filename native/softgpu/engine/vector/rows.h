// Interface of each semantics file: rows of the common forms, and selectors for operations with forms of their own.
#pragma once

#include "softgpu/engine/vector/forms.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

RowTable integer_rows();  // 32- and 16-bit integers and bits
RowTable integer64_rows();
RowTable byte_rows();   // v_perm, v_sad, v_lerp, …
RowTable carry_rows();  // results with a carry or overflow bit
RowTable float32_rows();
RowTable float64_rows();
RowTable float16_rows();
RowTable min_max_rows();
RowTable convert_rows();
RowTable transcendental_rows();
RowTable division_rows();

ExecuteFn select_compare_integer(const Instruction& instruction);
ExecuteFn select_compare_float(const Instruction& instruction);
ExecuteFn select_packed(const Instruction& instruction);
ExecuteFn select_mixed(const Instruction& instruction);
ExecuteFn select_lane_access(const Instruction& instruction);
ExecuteFn select_mfma(const Instruction& instruction);
ExecuteFn select_smfmac(const Instruction& instruction);
ExecuteFn select_wmma(const Instruction& instruction);

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
