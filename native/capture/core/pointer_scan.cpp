#include "capture/core/pointer_scan.h"

namespace kernloop::capture {

PointerScan::PointerScan(const AllocationList& allocations) : allocations_(allocations) {
  if (allocations.empty()) return;
  low_ = allocations.front().base;
  span_ = allocations.back().end() - low_;
}

const Allocation* PointerScan::target_of(uint64_t value, uint64_t position) const {
  const uint64_t address = value & kAddressMask;
  const Allocation* hit = find_allocation(allocations_, address);
  if (hit == nullptr || value == address || address == hit->base) return hit;
  return position % 8 == 0 && address % 16 == 0 ? hit : nullptr;
}

}  // namespace kernloop::capture
