#include "softgpu/engine/memory/byte_shadow.h"

#include <algorithm>

namespace kernloop::softgpu {

void ByteShadow::mark(uint64_t address, uint64_t bytes) {
  const uint64_t begin = std::max(address, base_), end = std::min(address + bytes, base_ + size_);
  for (uint64_t at = begin; at < end;) {
    const uint64_t bit = at - base_, first = bit % 64, count = std::min<uint64_t>(64 - first, end - at);
    const uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
    words_[bit / 64].fetch_or(mask, std::memory_order_relaxed);
    at += count;
  }
}

bool ByteShadow::is_marked(uint64_t address) const {
  const uint64_t bit = address - base_;
  return bit >= size_ || (words_[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
}

}  // namespace kernloop::softgpu
