// Finds the granules that a capture's regions need, and the bytes of those granules that belong to no region (padding).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "archive/manifest/manifest.h"
#include "base/result.h"
#include "verdict/values/address_range.h"

namespace kernloop::replay {

// Whole granules of one kind of memory.
struct Mapping {
  AddressRange range;
  archive::RegionClass home = archive::RegionClass::kDevice;
  std::optional<bool> fine_grained = {};  // coherent with the host while a kernel runs; none: unknown
  bool operator==(const Mapping&) const = default;
};

struct Layout {
  std::vector<Mapping> mappings;      // disjoint, sorted; regions that share or touch granules share a mapping
  std::vector<AddressRange> padding;  // bytes of the mappings outside of every region, sorted
};

// For regions that are all in device memory.
Layout lay_out(const std::vector<archive::Region>& regions, uint64_t granule);

struct Home {
  archive::RegionClass kind = archive::RegionClass::kDevice;
  uint64_t granule = 4096;
  std::optional<bool> fine_grained = {};
};
// CAPTURE_INVALID if regions of different homes share a granule: no page is both.
Result<Layout> lay_out(const std::vector<archive::Region>& regions,
                       const std::function<Home(const archive::Region&)>& home_of);

}  // namespace kernloop::replay
