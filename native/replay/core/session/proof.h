// Whether a passing replay proves anything: memory as it was before the dispatch must not pass, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/core/session/run.h"

namespace kernloop::replay {

// Counts compared bytes that the app's dispatch changed, without those that `varying` cannot judge: a kernel whose
// results are all ignored proves nothing.
Result<uint64_t> changed_bytes(Run& run, const std::vector<VaryingRange>& varying);

// Reason why a pass proves nothing; none if it does. `changed_bytes`: without regard to what varies; `rewritten_bytes`:
// bytes that were poisoned before a launch.
Result<std::optional<std::string>> why_unproven(Run& run, uint64_t changed_bytes, uint64_t rewritten_bytes);

}  // namespace kernloop::replay
