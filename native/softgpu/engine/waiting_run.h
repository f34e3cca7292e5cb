// Loops in which a wave waits for another one: while (flag == 0) and while (compare_and_swap(lock)). The scheduler goes
// on with others at once. It matters for time alone: a loop that is wrongly taken for one, or overlooked, is as right.
#pragma once

#include "softgpu/engine/code_run.h"

namespace kernloop::softgpu {

// Whether the run comes back to its own begin, for nothing but what it has looked up in memory: it changes none, and no
// register tells one round from another.
bool is_waiting(const CodeRun& run);

}  // namespace kernloop::softgpu
