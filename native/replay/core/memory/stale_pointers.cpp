#include "replay/core/memory/stale_pointers.h"

#include <algorithm>
#include <cstring>

namespace kernloop::replay {

namespace {

// `visit` returns whether to go on.
template <typename Visit>
void for_each_pointer_into(const std::vector<AddressRange>& ranges, uint64_t address, Bytes bytes, Visit&& visit) {
  if (ranges.empty()) return;
  uint64_t lowest = UINT64_MAX, highest = 0;
  for (const AddressRange& range : ranges) {
    lowest = std::min(lowest, range.base);
    highest = std::max(highest, range.end());
  }
  for (size_t i = (8 - address % 8) % 8; i + 8 <= bytes.size(); i += 8) {
    uint64_t value;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    if (value < lowest || value >= highest) continue;
    const bool is_inside = std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) {
      return value >= range.base && value < range.end();
    });
    if (is_inside && !visit(i, value)) return;
  }
}

}  // namespace

uint64_t count_pointers_into(const std::vector<AddressRange>& ranges, uint64_t address, Bytes bytes) {
  uint64_t count = 0;
  for_each_pointer_into(ranges, address, bytes, [&](uint64_t, uint64_t) { return ++count, true; });
  return count;
}

std::optional<PointerFound> first_pointer_into(const std::vector<AddressRange>& ranges, uint64_t address, Bytes bytes) {
  std::optional<PointerFound> found;
  for_each_pointer_into(ranges, address, bytes, [&](uint64_t offset, uint64_t value) {
    found = {offset, value};
    return false;
  });
  return found;
}

}  // namespace kernloop::replay
