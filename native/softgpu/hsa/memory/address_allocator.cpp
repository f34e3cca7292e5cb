#include "softgpu/hsa/memory/address_allocator.h"

#include <algorithm>
#include <utility>

namespace kernloop::softgpu {

std::optional<Mapping> AddressAllocator::take(uint64_t size) {
  return choose(size, kGranule, Mapping::memory_at);
}
std::optional<Mapping> AddressAllocator::reserve(uint64_t size, uint64_t alignment) {
  return choose(size, alignment, Mapping::reservation_at);
}
std::optional<Mapping> AddressAllocator::take_at(uint64_t base, uint64_t size) {
  return exact(base, size, Mapping::memory_at);
}
std::optional<Mapping> AddressAllocator::reserve_at(uint64_t base, uint64_t size) {
  return exact(base, size, Mapping::reservation_at);
}

std::optional<Mapping> AddressAllocator::choose(uint64_t size, uint64_t alignment, Map map) {
  if (size == 0 || size > aperture_.size || alignment > aperture_.size) return std::nullopt;
  size = round_up(size, kGranule);
  std::lock_guard lock(mutex_);
  if (auto freed = free_.find(size); freed != free_.end()) {
    auto& bases = freed->second;
    for (size_t i = bases.size(); i-- > 0;) {
      const uint64_t base = bases[i];
      if (base % alignment != 0) continue;
      bases.erase(bases.begin() + static_cast<ptrdiff_t>(i));
      if (auto mapping = map(base, size)) return mapping;  // else somebody took the address meanwhile: it is lost to us
    }
  }
  const uint64_t end = aperture_.base + aperture_.size;
  alignment = std::max(alignment, size < kHugePage ? kGranule : kHugePage);
  next_ = round_up(next_, alignment);
  for (; next_ < end && size + kGranule <= end - next_; next_ = round_up(next_, alignment)) {
    auto above = exact_.lower_bound(next_);
    if (above != exact_.begin()) {
      auto below = std::prev(above);
      if (below->first + below->second > next_) {
        next_ = below->first + below->second + kGranule;
        continue;
      }
    }
    if (above != exact_.end() && above->first < next_ + size + kGranule) {
      next_ = above->first + above->second + kGranule;
      continue;
    }
    const uint64_t base = next_;
    next_ += size + kGranule;
    if (auto mapping = map(base, size)) return mapping;
    // The program itself, or the parent of a forked process, has mapped something here: continue after it. Steps grow
    // with the address: a large foreign mapping costs few tries.
    next_ += (next_ - aperture_.base) / 16 / kGranule * kGranule;
  }
  return std::nullopt;
}

std::optional<Mapping> AddressAllocator::exact(uint64_t base, uint64_t size, Map map) {
  if (size == 0 || base % kGranule != 0 || size > UINT64_MAX - kGranule) return std::nullopt;
  size = round_up(size, kGranule);
  std::lock_guard lock(mutex_);
  auto mapping = map(base, size);
  if (mapping) exact_[base] = size;
  return mapping;
}

void AddressAllocator::give_back(Mapping mapping) {
  std::lock_guard lock(mutex_);
  const Mapping released = std::move(mapping);  // unmapped before the lock: no thread can choose the block earlier
  if (exact_.erase(released.base()) == 0) free_[released.size()].push_back(released.base());
}

}  // namespace kernloop::softgpu
