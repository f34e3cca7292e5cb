// Executions of an instruction that tell an observer of it. A code cache puts them in the place of `execute` when it
// prepares the instruction; each does what `counted` does.
#pragma once

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

// For a profile: counts. `counted` itself if there is only the number of executions to count.
ExecuteFn profiled_execute(unsigned wave_size, const DecodedInstruction& instruction);
// For probes: calls the prober first.
void execute_probed(Wave& wave, const Instruction& instruction);
// For the checker and the adverse order: results that the instruction needs must have been waited for.
void execute_waited(Wave& wave, const Instruction& instruction);
// For these, too: the execution of an instruction that waits for memory operations, if stores may be late; nullptr for
// others.
ExecuteFn select_memory_wait(const Instruction& instruction);

}  // namespace kernloop::softgpu
