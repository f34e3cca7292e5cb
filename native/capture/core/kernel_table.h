// Maps a dispatch's name of its kernel (descriptor address, function handle) to the kernel's entry. Read on every
// dispatch without a lock; written when a kernel is first seen.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kernloop::capture {

struct KernelEntry {
  uint64_t key = 0;  // not 0
  uint32_t id = 0;
  std::string symbol;
  uint64_t selections = 0;  // selections that its name matches; a bit each
  uint64_t gates = 0;       // selections that count from behind a dispatch of it on
  uint32_t identity = 0;    // KernelReply::identity
  bool is_wanted() const { return (selections | gates) != 0; }
  std::atomic<uint64_t>* dispatches = nullptr;
};

class KernelTable {
 public:
  KernelTable();
  const KernelEntry* find(uint64_t wanted) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    for (size_t i = hash(wanted) & slots->mask;; i = (i + 1) & slots->mask) {
      const uint64_t key = slots->keys[i].load(std::memory_order_acquire);
      if (key == wanted) return slots->values[i].load(std::memory_order_acquire);
      if (key == 0) return nullptr;
    }
  }
  // Entries live as long as the table: a reader may still hold one that was removed.
  const KernelEntry* insert(std::unique_ptr<KernelEntry> entry);
  // The code object that owned these addresses is gone; others may be loaded there.
  void remove_range(uint64_t base, uint64_t size);
  void remove(uint64_t key);
  size_t size() const { return size_; }

 private:
  struct Slots {
    explicit Slots(size_t capacity)
        : mask(capacity - 1),
          keys(std::make_unique<std::atomic<uint64_t>[]>(capacity)),
          values(std::make_unique<std::atomic<const KernelEntry*>[]>(capacity)) {}
    size_t mask;
    std::unique_ptr<std::atomic<uint64_t>[]> keys;
    std::unique_ptr<std::atomic<const KernelEntry*>[]> values;
  };
  static size_t hash(uint64_t key) { return static_cast<size_t>((key >> 6) * 0x9e3779b97f4a7c15ull >> 32); }
  static void place(Slots& slots, const KernelEntry* entry);

  std::mutex mutex_;
  std::vector<std::unique_ptr<KernelEntry>> entries_;
  std::vector<std::unique_ptr<Slots>> generations_;  // the last is current; readers may still be in an older one
  std::atomic<const Slots*> slots_;
  size_t used_ = 0;  // keys ever placed in the current generation
  size_t size_ = 0;
};

}  // namespace kernloop::capture
