#include "capture/core/allocation_map.h"

#include <algorithm>
#include <iterator>

namespace kernloop::capture {

const Allocation* find_allocation(const AllocationList& list, uint64_t address) {
  auto after = std::upper_bound(list.begin(), list.end(), address,
                                [](uint64_t value, const Allocation& allocation) { return value < allocation.base; });
  if (after == list.begin()) return nullptr;
  const Allocation& candidate = *std::prev(after);
  return address - candidate.base < candidate.size ? &candidate : nullptr;
}

namespace {

bool is_range(const Allocation& allocation) {
  return allocation.size != 0 && allocation.base + allocation.size >= allocation.base;
}

}  // namespace

void AllocationMap::insert(const Allocation& allocation) {
  auto [entry, is_new] = entries_.try_emplace(allocation.base, Entry{allocation});
  if (is_new) return;
  ++entry->second.references;
  entry->second.allocation.size = std::max(entry->second.allocation.size, allocation.size);
}

void AllocationMap::add(Allocation allocation) {
  if (!is_range(allocation)) return;
  std::lock_guard lock(mutex_);
  allocation.ordinal = next_ordinal_++;
  insert(allocation);
}

// Ranges may overlap or contain each other: every entry that starts before the end is looked at.
void AllocationMap::add_in_place(Allocation allocation) {
  if (!is_range(allocation)) return;
  std::lock_guard lock(mutex_);
  allocation.ordinal = next_ordinal_++;
  std::erase_if(entries_, [&](const auto& entry) {
    const Allocation& known = entry.second.allocation;
    return !known.host_owned && known.base < allocation.end() && allocation.base < known.end();
  });
  insert(allocation);
}

void AllocationMap::add_joined(Allocation allocation) {
  if (!is_range(allocation)) return;
  std::lock_guard lock(mutex_);
  allocation.ordinal = next_ordinal_++;
  std::erase_if(entries_, [&](const auto& entry) {
    const Allocation& known = entry.second.allocation;
    if (known.api != allocation.api || known.base >= allocation.end() || allocation.base >= known.end()) return false;
    const uint64_t end = std::max(allocation.end(), known.end());
    if (known.base < allocation.base) {
      allocation.base = known.base;
      allocation.host_address = known.host_address;
    }
    allocation.size = end - allocation.base;
    allocation.ordinal = std::min(allocation.ordinal, known.ordinal);
    return true;
  });
  insert(allocation);
}

std::optional<Allocation> AllocationMap::take(uint64_t base) {
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(base);
  if (entry == entries_.end()) return std::nullopt;
  const Allocation taken = entry->second.allocation;
  if (--entry->second.references == 0) entries_.erase(entry);
  return taken;
}

std::vector<Allocation> AllocationMap::take_within(uint64_t base, uint64_t size) {
  std::lock_guard lock(mutex_);
  std::vector<Allocation> taken;
  for (auto entry = entries_.lower_bound(base); entry != entries_.end();) {
    const Allocation& known = entry->second.allocation;
    if (known.base - base >= size) break;
    if (known.end() - base > size) {
      ++entry;
      continue;
    }
    taken.push_back(known);
    entry = entries_.erase(entry);
  }
  return taken;
}

void AllocationMap::put_back(const Allocation& allocation) {
  std::lock_guard lock(mutex_);
  insert(allocation);
}

void AllocationMap::keep_parts(uint64_t base, const std::vector<ByteRange>& parts) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(base);
  if (entry == entries_.end()) return;
  const Allocation whole = entry->second.allocation;
  entries_.erase(entry);
  for (const ByteRange& part : parts) {
    if (part.base >= whole.size) continue;
    Allocation allocation = whole;
    allocation.base += part.base;
    allocation.host_address += part.base;
    allocation.size = std::min(part.size, whole.size - part.base);
    insert(allocation);
  }
}

void AllocationMap::mark_host_written(uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return;
  Allocation& allocation = std::prev(after)->second.allocation;
  if (address < allocation.end()) allocation.memory_class = MemoryClass::kHost;
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
      if (entry.allocation.of_others) merged.of_others = true;
      continue;
    }
    list.push_back(entry.allocation);
  }
  return list;
}

}  // namespace kernloop::capture
