// The function that executes an instruction.
#pragma once

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

bool is_vector_alu(Encoding encoding);
bool is_vector_memory(Encoding encoding);

// By the rules of gfx90a. nullptr: not supported.
ExecuteFn select_by_encoding(const Instruction& instruction);

// Executes the `equivalent` of the decoded instruction in its place.
void execute_equivalent(Wave& wave, const Instruction& instruction);

// By the rules of the target. May set members of `instruction` for its function.
ExecuteFn select_for(Target target, DecodedInstruction& instruction);

}  // namespace kernloop::softgpu
