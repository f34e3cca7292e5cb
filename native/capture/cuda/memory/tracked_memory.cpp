#include "capture/cuda/memory/tracked_memory.h"

namespace kernloop::capture {

void TrackedMemory::add(const TrackedAllocation& tracked) {
  const Allocation& allocation = tracked.allocation;
  if (allocation.base == 0 || allocation.size == 0) return;
  std::lock_guard lock(mutex_);
  // A free that was not seen: the earlier allocation is gone.
  if (by_base_.contains(allocation.base)) allocations_.remove(allocation.base);
  by_base_[allocation.base] = tracked;
  if (tracked.freed_by != 0) base_by_host_[tracked.freed_by] = allocation.base;
  allocations_.add(allocation);
}

std::optional<TrackedAllocation> TrackedMemory::take(uint64_t base) {
  std::lock_guard lock(mutex_);
  const auto found = by_base_.find(base);
  if (found == by_base_.end()) return std::nullopt;
  TrackedAllocation taken = found->second;
  by_base_.erase(found);
  base_by_host_.erase(taken.freed_by);
  allocations_.remove(base);
  return taken;
}

std::optional<TrackedAllocation> TrackedMemory::take_host(uint64_t host_address) {
  uint64_t base = 0;
  {
    std::lock_guard lock(mutex_);
    const auto found = base_by_host_.find(host_address);
    if (found == base_by_host_.end()) return std::nullopt;
    base = found->second;
  }
  return take(base);
}

void TrackedMemory::context_gone(cuda::CUcontext context) {
  std::lock_guard lock(mutex_);
  for (auto it = by_base_.begin(); it != by_base_.end();) {
    if (it->second.owner != context) {
      ++it;
      continue;
    }
    base_by_host_.erase(it->second.freed_by);
    allocations_.remove(it->first);
    it = by_base_.erase(it);
  }
}

void TrackedMemory::apply(const MappingChange& change) {
  for (const MappedRun& run : change.gone) allocations_.remove(run.base);
  for (const MappedRun& run : change.added) {
    Allocation allocation;
    allocation.base = run.base;
    allocation.size = run.size;
    allocation.api = run.shared ? "cuMemImportFromShareableHandle" : "cuMemMap";
    // Others may write there: such changes are not the dispatch's.
    if (run.shared) allocation.memory_class = MemoryClass::kHost;
    allocation.of_others = run.shared;
    allocations_.add(allocation);
  }
}

}  // namespace kernloop::capture
