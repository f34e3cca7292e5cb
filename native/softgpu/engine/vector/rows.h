// Interface of each semantics file: rows of the common forms, and selectors for operations with forms of their own.
#pragma once

#include "softgpu/engine/vector/forms.h"

// The bitcode has nothing but the symbols of lane_symbols.h: nobody asks it for tables.
#ifdef KERNLOOP_LANES
#define KERNLOOP_ROWS [[maybe_unused]] static
#else
#define KERNLOOP_ROWS
#endif

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

KERNLOOP_ROWS RowTable integer_rows();  // 32- and 16-bit integers and bits
KERNLOOP_ROWS RowTable integer64_rows();
KERNLOOP_ROWS RowTable byte_rows();   // v_perm, v_sad, v_lerp, …
KERNLOOP_ROWS RowTable carry_rows();  // results with a carry or overflow bit
KERNLOOP_ROWS RowTable float32_rows();
KERNLOOP_ROWS RowTable float64_rows();
KERNLOOP_ROWS RowTable float16_rows();
KERNLOOP_ROWS RowTable min_max_rows();
KERNLOOP_ROWS RowTable convert_rows();
KERNLOOP_ROWS RowTable transcendental_rows();
KERNLOOP_ROWS RowTable division_rows();

KERNLOOP_ROWS const FormRule* integer_comparison_rule(Op op);
KERNLOOP_ROWS const FormRule* float_comparison_rule(Op op);
KERNLOOP_ROWS const FormRule* packed_rule(Op op);

KERNLOOP_ROWS ExecuteFn select_compare_integer(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_compare_float(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_packed(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_mixed(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_lane_access(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_mfma(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_smfmac(const Instruction& instruction);
KERNLOOP_ROWS ExecuteFn select_wmma(const Instruction& instruction);

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
