#include "replay/core/layout.h"

#include <algorithm>

namespace kernloop::replay {

std::vector<AddressRange> merge_ranges(std::vector<AddressRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });
  std::vector<AddressRange> merged;
  for (const AddressRange& range : ranges) {
    if (range.size == 0) continue;
    if (!merged.empty() && range.base <= merged.back().end()) {
      merged.back().size = std::max(merged.back().end(), range.end()) - merged.back().base;
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

Layout lay_out(const std::vector<archive::Region>& regions, uint64_t granule) {
  std::vector<AddressRange> sorted;
  for (const archive::Region& region : regions) sorted.push_back({region.base, region.size});
  std::sort(sorted.begin(), sorted.end(), [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });

  Layout layout;
  uint64_t covered = 0;  // end of the last region in the current mapping
  const auto pad_until = [&](uint64_t end) {
    if (covered < end) layout.padding.push_back({covered, end - covered});
  };
  for (const AddressRange& region : sorted) {
    const uint64_t begin = region.base / granule * granule;
    const uint64_t end = (region.end() + granule - 1) / granule * granule;
    if (!layout.mappings.empty() && begin <= layout.mappings.back().end()) {
      AddressRange& mapping = layout.mappings.back();
      pad_until(region.base);
      mapping.size = std::max(mapping.end(), end) - mapping.base;
    } else {
      if (!layout.mappings.empty()) pad_until(layout.mappings.back().end());
      layout.mappings.push_back({begin, end - begin});
      covered = begin;
      pad_until(region.base);
    }
    covered = region.end();
  }
  if (!layout.mappings.empty()) pad_until(layout.mappings.back().end());
  return layout;
}

}  // namespace kernloop::replay
