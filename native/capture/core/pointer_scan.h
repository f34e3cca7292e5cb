// Finds what could be a pointer in raw memory: 64-bit values that land in a tracked allocation.
//  - A plain address counts at any byte offset (packed structures), and may point anywhere in the allocation.
//  - An address with a tag in its top 16 bits counts at any byte offset if it is the start of an allocation, and in an
//  aligned slot if it lands on a 16-byte boundary. Laxer rules take random bits for pointers; between large memories
//  even these do: see tagged_interior_counts().
// The scan is conservative all the same: it finds too much now and then, and a missed pointer shows as a scope
// violation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "capture/core/allocation_map.h"

namespace kernloop::capture {

// Whether a tagged address inside of an allocation counts as a pointer in a region of this size. Random bits look like
// one in (tracked bytes / 2^48) / 16 of the aligned slots: with 16 GiB of allocations, 16 times in 32 MiB of floats.
// They count if chance gives less than one in a thousand regions.
bool tagged_interior_counts(uint64_t region_bytes, uint64_t tracked_bytes);
uint64_t tracked_bytes(const AllocationList& allocations);

// DeviceCapture::find_pointers() by kernels on the device, which take `Range`s.
template <typename Range, typename Kernels>
std::optional<Error> search_by(Kernels& kernels, const Allocation& in, const AllocationList& all,
                               std::vector<size_t>* hits) {
  std::vector<Range> targets;
  targets.reserve(all.size());
  for (const Allocation& allocation : all) targets.push_back({allocation.base, allocation.size});
  std::vector<uint32_t> found;
  const Status done =
      kernels.find_pointers(in.base, in.size, targets, &found, tagged_interior_counts(in.size, tracked_bytes(all)));
  if (!done) return done.error();
  hits->insert(hits->end(), found.begin(), found.end());
  return std::nullopt;
}

class PointerScan {
 public:
  explicit PointerScan(const AllocationList& allocations);

  // Bytes in order, in pieces of any size; a value may span two pieces. `found` gets the allocation's index in the
  // list.
  template <typename Found>
  void feed(std::span<const uint8_t> bytes, Found&& found) {
    if (span_ == 0) return;
    // The last seven bytes of the previous piece, then as many of this one: they hold every value that spans both.
    const size_t taken = bytes.size() < 7 ? bytes.size() : 7;
    const uint64_t carry_position = position_ - carry_.size();
    carry_.insert(carry_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    scan(carry_, carry_position, found);
    if (bytes.size() >= 7) {
      scan(bytes, position_, found);
      carry_.assign(bytes.end() - 7, bytes.end());
    } else if (carry_.size() > 7) {
      carry_.erase(carry_.begin(), carry_.end() - 7);
    }
    position_ += bytes.size();
  }
  // The next bytes are of another region of this size, which starts aligned.
  void restart(uint64_t region_bytes) {
    carry_.clear();
    position_ = 0;
    tagged_interior_ = tagged_interior_counts(region_bytes, tracked_bytes_);
  }

 private:
  static constexpr uint64_t kAddressMask = (1ull << 48) - 1;

  template <typename Found>
  void scan(std::span<const uint8_t> bytes, uint64_t position, Found&& found) {
    if (bytes.size() < 8) return;
    const size_t last = bytes.size() - 8;
    for (size_t at = 0; at <= last; ++at) {
      uint64_t value;
      __builtin_memcpy(&value, bytes.data() + at, sizeof value);
      if ((value & kAddressMask) - low_ >= span_) [[likely]] {
        continue;
      }
      if (const Allocation* hit = target_of(value, position + at))
        found(static_cast<size_t>(hit - allocations_.data()));
    }
  }
  const Allocation* target_of(uint64_t value, uint64_t position) const;

  const AllocationList& allocations_;
  uint64_t low_ = 0, span_ = 0;
  uint64_t tracked_bytes_ = 0;
  bool tagged_interior_ = true;
  uint64_t position_ = 0;
  std::vector<uint8_t> carry_;
};

}  // namespace kernloop::capture
