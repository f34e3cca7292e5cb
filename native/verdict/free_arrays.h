// Arrays of a target that held the same values in another order in each replay of a calibration.
#pragma once

#include "archive/manifest/manifest.h"
#include "verdict/target.h"
#include "verdict/values/order_search.h"

namespace kernloop::replay {

// Takes such arrays of `targets[target]` out of `varying`, the bytes in which any two of `sources` differ: sorted and
// disjoint. `sources`: the app's result first, then each replay.
Result<std::vector<FreeArray>> take_free_arrays(const archive::Manifest& manifest, const std::vector<Target>& targets,
                                                size_t target, const std::vector<ContentSource>& sources,
                                                std::vector<AddressRange>& varying);

// Element size of a pointer to a vector type without a scalar equivalent: "float4*", "HIP_vector_type<float, 4u>
// const*". None for others.
std::optional<uint64_t> vector_bytes(std::string_view pointer_type);

}  // namespace kernloop::replay
