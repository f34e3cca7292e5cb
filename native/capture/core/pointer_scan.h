// Finds what could be a pointer in raw memory: a 64-bit value at any byte offset, its top 16 bits (tags) ignored, that lands in a
// tracked allocation. Conservative: it may find too much, and what it misses shows as a scope violation.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "capture/core/allocation_map.h"

namespace kernloop::capture {

class PointerScan {
 public:
  explicit PointerScan(const AllocationList& allocations);

  // Bytes in order, in pieces of any size; a value may lie across two pieces. `found` gets the allocation's index in the list.
  template <typename Found>
  void feed(std::span<const uint8_t> bytes, Found&& found) {
    if (span_ == 0) return;
    // The last seven bytes of the piece before, then as many of this one: every value that starts there and ends here.
    const size_t taken = bytes.size() < 7 ? bytes.size() : 7;
    carry_.insert(carry_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    scan(carry_, found);
    if (bytes.size() >= 7) {
      scan(bytes, found);
      carry_.assign(bytes.end() - 7, bytes.end());
    } else if (carry_.size() > 7) {
      carry_.erase(carry_.begin(), carry_.end() - 7);
    }
  }
  void restart() { carry_.clear(); }

 private:
  static constexpr uint64_t kAddressMask = (1ull << 48) - 1;

  template <typename Found>
  void scan(std::span<const uint8_t> bytes, Found&& found) {
    if (bytes.size() < 8) return;
    const uint8_t* at = bytes.data();
    const uint8_t* const last = at + bytes.size() - 8;
    for (; at <= last; ++at) {
      uint64_t value;
      __builtin_memcpy(&value, at, sizeof value);
      if ((value & kAddressMask) - low_ >= span_) [[likely]] {
        continue;
      }
      if (const Allocation* hit = find_allocation(allocations_, value & kAddressMask)) {
        found(static_cast<size_t>(hit - allocations_.data()));
      }
    }
  }

  const AllocationList& allocations_;
  uint64_t low_ = 0, span_ = 0;
  std::vector<uint8_t> carry_;
};

}  // namespace kernloop::capture
