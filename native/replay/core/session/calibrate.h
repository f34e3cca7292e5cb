// The captured code in many orders of execution: what varies among its replays, and whether that explains the app's
// own result.
#pragma once

#include "replay/core/session/steps/step.h"

namespace kernloop::replay {

// Emits `varying` and `unexplained`, and the result.
Result<SessionEnd> calibrate(Run& run, Steps& steps);

}  // namespace kernloop::replay
