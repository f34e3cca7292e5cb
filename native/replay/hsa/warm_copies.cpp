#include "replay/hsa/warm_copies.h"

#include <iostream>
#include <utility>

namespace kernloop::replay {

Result<bool> WarmCopies::keep(const AddressRange& range) {
  auto kept = copies_.keep(range);
  if (!kept || *kept) return kept;
  if (!std::exchange(keeps_too_little_, true)) {
    std::cerr << "kernloop-replay: the device has no room for a copy of captured memory, which is restored from the "
                 "archive between the launch that warms the caches and the one that is timed"
              << std::endl;
  }
  return kept;
}

Status WarmCopies::restore() {
  if (last_kernel_ && learnt_kernels_.insert(*last_kernel_).second) {
    if (auto learnt = copies_.learn_written(); !learnt) return learnt;
  }
  return copies_.restore();
}

Result<bool> WarmCopies::restore_written() {
  if (keeps_too_little_ || !last_kernel_ || !learnt_kernels_.contains(*last_kernel_)) return false;
  if (auto restored = copies_.restore_written(); !restored) return restored.error();
  return true;
}

void WarmCopies::forget_code(const std::vector<AddressRange>& regions) {
  copies_.forget_outside(regions);
  learnt_kernels_.clear();
  last_kernel_.reset();
}

}  // namespace kernloop::replay
