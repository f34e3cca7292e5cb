// The same values in another order, as threads leave them that claim places by an atomic: told by the values alone.
#pragma once

#include "replay/core/content_cache.h"
#include "replay/core/element_type.h"

namespace kernloop::replay {

// More is not sorted: ranges judge it.
inline constexpr uint64_t kMostPermutedBytes = 32u << 20;

// Bytes [offset, offset + size) of a content.
Result<archive::Buffer> read_content(ContentCache& cache, const archive::ContentView& content, uint64_t offset,
                                     uint64_t size);

// Whether both hold the same elements, bit for bit, in whatever order. Both are of one size, a multiple of the
// element's.
bool is_permutation(ElementType type, archive::Bytes a, archive::Bytes b);

}  // namespace kernloop::replay
