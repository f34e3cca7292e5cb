// The free order that a self-check found, for another input of the same code: fewer launches show less of it, and other
// values may make more or fewer records.
#pragma once

#include <vector>

#include "verdict/target.h"
#include "verdict/varying.h"

namespace kernloop::replay {

// The ranges in free order of `known`, with the records around them that ranges of `now` reach, in the place of the
// ranges of `now` that they touch. Empty if `known` has none. What agrees with them is at most undecided: nothing shows
// that the captured code gives this order with the input of `now`.
std::vector<VaryingRange> in_known_order(const std::vector<VaryingRange>& now, const std::vector<VaryingRange>& known,
                                         const std::vector<Target>& targets);

}  // namespace kernloop::replay
