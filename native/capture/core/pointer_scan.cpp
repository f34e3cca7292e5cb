#include "capture/core/pointer_scan.h"

namespace kernloop::capture {

PointerScan::PointerScan(const AllocationList& allocations) : allocations_(allocations) {
  if (allocations.empty()) return;
  low_ = allocations.front().base;
  span_ = allocations.back().end() - low_;
}

}  // namespace kernloop::capture
