// Loops in which a wave waits for another one: while (flag == 0) and while (compare_and_swap(lock)). The scheduler runs
// other waves at once. It only affects time: a loop that is misclassified is executed correctly as well.
#pragma once

#include "softgpu/engine/code/code_run.h"

namespace kernloop::softgpu {

// Whether the run returns to its own begin only because of values it has loaded: it changes no memory, and no register
// distinguishes its rounds.
bool is_waiting(const CodeRun& run);

}  // namespace kernloop::softgpu
