// Which granules a capture's regions need, and which bytes of those granules belong to no region (padding).
#pragma once

#include <cstdint>
#include <vector>

#include "archive/manifest.h"

namespace kernloop::replay {

struct AddressRange {
  uint64_t base = 0;
  uint64_t size = 0;
  uint64_t end() const { return base + size; }
  bool operator==(const AddressRange&) const = default;
};

struct Layout {
  std::vector<AddressRange>
      mappings;  // whole granules, disjoint, sorted; regions that share or touch granules share a mapping
  std::vector<AddressRange> padding;  // bytes of the mappings outside of every region, sorted
};

// The same bytes as sorted, disjoint ranges.
std::vector<AddressRange> merge_ranges(std::vector<AddressRange> ranges);

Layout lay_out(const std::vector<archive::Region>& regions, uint64_t granule);

}  // namespace kernloop::replay
