// Spans of free order: threads that claim places in rows, cells or buckets (out[atomicAdd(&cursor[row], 1)]) permute
// each of them, and not all of the array. The counters' values after the dispatch show where each begins and ends.
#pragma once

#include <vector>

#include "verdict/target.h"
#include "verdict/values/order_search.h"

namespace kernloop::replay {

// Sets the spans of layouts that counters tell of, or adds layouts of single arrays with spans. `sources`: the app's
// result first, then each replay; `before` the dispatch.
Status bound_by_counters(const std::vector<FreeArray>& arrays, const std::vector<ContentSource>& sources,
                         const ContentSource& before, const std::vector<Target>& targets,
                         std::vector<FoundLayout>& layouts);

}  // namespace kernloop::replay
