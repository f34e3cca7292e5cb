// Marks that the command line puts on single targets: bytes to leave out, elements to judge as numbers.
#pragma once

#include <vector>

#include "replay/core/session/options.h"
#include "verdict/target.h"

namespace kernloop::replay {

// USAGE for bytes that no region has.
Status mark_ignored(const std::vector<IgnoredBytes>& ignored, std::vector<Target>& targets);
// USAGE for names of no target, and for tolerances that overlap.
Status mark_tolerances(const std::vector<ElementTolerance>& tolerances, std::vector<Target>& targets);

}  // namespace kernloop::replay
