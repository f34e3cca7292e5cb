#include "capture/core/pointer_scan.h"

namespace kernloop::capture {

bool tagged_interior_counts(uint64_t region_bytes, uint64_t tracked_bytes) {
  const double slots = static_cast<double>(region_bytes) / 8;
  const double chance = static_cast<double>(tracked_bytes) / 0x1p48 / 16;
  return slots * chance < 1e-3;
}

uint64_t tracked_bytes(const AllocationList& allocations) {
  uint64_t bytes = 0;
  for (const Allocation& allocation : allocations) bytes += allocation.size;
  return bytes;
}

PointerScan::PointerScan(const AllocationList& allocations) : allocations_(allocations) {
  if (allocations.empty()) return;
  low_ = allocations.front().base;
  span_ = allocations.back().end() - low_;
  tracked_bytes_ = tracked_bytes(allocations);
}

const Allocation* PointerScan::target_of(uint64_t value, uint64_t position) const {
  const uint64_t address = value & kAddressMask;
  const Allocation* hit = find_allocation(allocations_, address);
  if (hit == nullptr || value == address || address == hit->base) return hit;
  return tagged_interior_ && position % 8 == 0 && address % 16 == 0 ? hit : nullptr;
}

}  // namespace kernloop::capture
