// Ranges of addresses, or of offsets.
#pragma once

#include <cstdint>
#include <vector>

namespace kernloop::replay {

struct AddressRange {
  uint64_t base = 0;
  uint64_t size = 0;
  uint64_t end() const { return base + size; }
  bool operator==(const AddressRange&) const = default;
};

// The same bytes as sorted, disjoint ranges.
std::vector<AddressRange> merge_ranges(std::vector<AddressRange> ranges);

}  // namespace kernloop::replay
