// Loops in which a wave waits for another one: while (flag == 0) and while (compare_and_swap(lock)). The scheduler goes
// on with others at once. It matters for time alone: a loop that is wrongly taken for one, or overlooked, is as right.
#pragma once

#include "softgpu/engine/code_run.h"

namespace kernloop::softgpu {

// Whether the run returns to its own begin only because of values it has loaded: it changes no memory, and no register
// distinguishes its rounds.
bool is_waiting(const CodeRun& run);

}  // namespace kernloop::softgpu
