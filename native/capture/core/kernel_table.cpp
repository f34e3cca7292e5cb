#include "capture/core/kernel_table.h"

namespace kernloop::capture {

KernelTable::KernelTable() {
  generations_.push_back(std::make_unique<Slots>(1024));
  slots_.store(generations_.back().get(), std::memory_order_release);
}

void KernelTable::place(Slots& slots, const KernelEntry* entry) {
  size_t i = hash(entry->key) & slots.mask;
  while (true) {
    const uint64_t key = slots.keys[i].load(std::memory_order_relaxed);
    if (key == 0 || key == entry->key) break;
    i = (i + 1) & slots.mask;
  }
  // The value first: a reader that sees the key sees the value.
  slots.values[i].store(entry, std::memory_order_release);
  slots.keys[i].store(entry->key, std::memory_order_release);
}

const KernelEntry* KernelTable::insert(std::unique_ptr<KernelEntry> owned) {
  std::lock_guard lock(mutex_);
  entries_.push_back(std::move(owned));
  const KernelEntry* entry = entries_.back().get();
  Slots* current = generations_.back().get();
  if ((used_ + 1) * 2 > current->mask + 1) {
    auto bigger = std::make_unique<Slots>((current->mask + 1) * 2);
    used_ = 0;
    for (size_t i = 0; i <= current->mask; ++i) {
      if (const KernelEntry* live = current->values[i].load(std::memory_order_relaxed)) {
        place(*bigger, live);
        ++used_;
      }
    }
    current = bigger.get();
    generations_.push_back(std::move(bigger));
  }
  place(*current, entry);
  ++used_;
  ++size_;
  slots_.store(current, std::memory_order_release);
  return entry;
}

void KernelTable::remove(uint64_t key) {
  remove_range(key, 1);
}

void KernelTable::remove_range(uint64_t base, uint64_t size) {
  std::lock_guard lock(mutex_);
  Slots& current = *generations_.back();
  for (size_t i = 0; i <= current.mask; ++i) {
    const uint64_t key = current.keys[i].load(std::memory_order_relaxed);
    // The key stays as a tombstone, or probing would stop at it.
    if (key != 0 && key - base < size && current.values[i].load(std::memory_order_relaxed) != nullptr) {
      current.values[i].store(nullptr, std::memory_order_release);
      --size_;
    }
  }
}

}  // namespace kernloop::capture
