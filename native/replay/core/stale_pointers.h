// Captured values that point to where the captured code was: with a variant elsewhere they lead nowhere, and users
// should know first.
#pragma once

#include <vector>

#include "replay/core/content_cache.h"
#include "replay/core/layout.h"
#include "replay/core/target.h"

namespace kernloop::replay {

// Aligned 64-bit values of `bytes` (which lie at `address`) that fall into one of the ranges.
uint64_t count_pointers_into(const std::vector<AddressRange>& ranges, uint64_t address, archive::Bytes bytes);

// The same over everything captured. Reads the archive only when there are ranges.
Result<uint64_t> count_captured_pointers_into(const std::vector<AddressRange>& ranges, ContentCache& cache,
                                              const std::vector<Target>& targets);

}  // namespace kernloop::replay
