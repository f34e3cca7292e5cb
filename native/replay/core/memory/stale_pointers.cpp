#include "replay/core/memory/stale_pointers.h"

#include <algorithm>
#include <cstring>

namespace kernloop::replay {

uint64_t count_pointers_into(const std::vector<AddressRange>& ranges, uint64_t address, Bytes bytes) {
  if (ranges.empty()) return 0;
  uint64_t lowest = UINT64_MAX, highest = 0, count = 0;
  for (const AddressRange& range : ranges) {
    lowest = std::min(lowest, range.base);
    highest = std::max(highest, range.end());
  }
  for (size_t i = (8 - address % 8) % 8; i + 8 <= bytes.size(); i += 8) {
    uint64_t value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    if (value < lowest || value >= highest) continue;
    count += std::any_of(ranges.begin(), ranges.end(),
                         [&](const AddressRange& range) { return value >= range.base && value < range.end(); });
  }
  return count;
}

}  // namespace kernloop::replay
