// The maps of a probe file, as `lib/trace` hands them over: [{"name", "level": "thread"|"warp", "unit_bytes": N|null,
// "fields": [{"name", "bytes": 8|4, "offset": N}]}].
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "trace/layout.h"

namespace kernloop::trace {

Result<std::vector<Map>> parse_maps(const std::string& json);

// The index of a field; an error that lists the existing ones.
Result<size_t> field_of(const Map& map, const std::string& name);
Result<size_t> map_of(const std::vector<Map>& maps, const std::string& name);

}  // namespace kernloop::trace
