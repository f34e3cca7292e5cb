#include "verdict/values/address_range.h"

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

}  // namespace kernloop::replay
