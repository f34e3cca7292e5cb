#include "capture/core/allocation_map.h"

#include <algorithm>

namespace kernloop::capture {

const Allocation* find_allocation(const AllocationList& list, uint64_t address) {
  auto after = std::upper_bound(list.begin(), list.end(), address,
                                [](uint64_t value, const Allocation& allocation) { return value < allocation.base; });
  if (after == list.begin()) return nullptr;
  const Allocation& candidate = *std::prev(after);
  return address - candidate.base < candidate.size ? &candidate : nullptr;
}

void AllocationMap::add(Allocation allocation) {
  if (allocation.size == 0 || allocation.base + allocation.size < allocation.base) return;
  std::lock_guard lock(mutex_);
  allocation.ordinal = next_ordinal_++;
  auto [entry, is_new] = entries_.try_emplace(allocation.base, Entry{allocation});
  if (is_new) return;
  ++entry->second.references;
  entry->second.allocation.size = std::max(entry->second.allocation.size, allocation.size);
}

bool AllocationMap::remove(uint64_t base) {
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(base);
  if (entry == entries_.end()) return false;
  if (--entry->second.references == 0) entries_.erase(entry);
  return true;
}

AllocationList AllocationMap::snapshot() const {
  std::lock_guard lock(mutex_);
  AllocationList list;
  list.reserve(entries_.size());
  for (const auto& [base, entry] : entries_) {
    if (!list.empty() && base < list.back().end()) {
      Allocation& merged = list.back();
      merged.size = std::max(merged.end(), entry.allocation.end()) - merged.base;
      if (entry.allocation.memory_class == MemoryClass::kHost) merged.memory_class = MemoryClass::kHost;
      continue;
    }
    list.push_back(entry.allocation);
  }
  return list;
}

}  // namespace kernloop::capture
