#include "replay/cuda/reservation.h"

#include <algorithm>

namespace kernloop::replay {

std::vector<AddressRange> round_out(const std::vector<AddressRange>& ranges, uint64_t unit) {
  const uint64_t last = UINT64_MAX / unit * unit;  // the greatest multiple
  std::vector<AddressRange> rounded;
  for (const AddressRange& range : ranges) {
    if (range.size == 0) continue;
    const uint64_t begin = range.base / unit * unit;
    const uint64_t final_byte = range.base + (range.size - 1);
    const uint64_t end = final_byte >= last ? last : final_byte / unit * unit + unit;
    if (end > begin) rounded.push_back({begin, end - begin});
  }
  return merge_ranges(std::move(rounded));
}

bool overlaps_any(const std::vector<AddressRange>& sorted, const AddressRange& range) {
  const auto after = std::upper_bound(sorted.begin(), sorted.end(), range.base,
                                      [](uint64_t at, const AddressRange& r) { return at < r.end(); });
  return after != sorted.end() && after->base < range.end();
}

}  // namespace kernloop::replay
