// A permutation of 0..size-1 chosen by a seed; seed 0 is the identity. Computed element by element, which makes grids
// of any size free.
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

inline uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class Permutation {
 public:
  Permutation() = default;
  Permutation(uint64_t size, uint64_t seed) : size_(size), seed_(seed) {
    while ((uint64_t{1} << (2 * half_bits_)) < size) ++half_bits_;
  }

  uint64_t operator()(uint64_t index) const {
    if (seed_ == 0 || size_ < 2) return index;
    // A Feistel network permutes the next power of four; walking on until inside permutes the rest (cycle walking).
    do {
      index = scramble(index);
    } while (index >= size_);
    return index;
  }

 private:
  uint64_t scramble(uint64_t value) const {
    const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
    uint64_t left = value >> half_bits_, right = value & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      const uint64_t next = left ^ (mix(seed_ * 4 + round + mix(right)) & mask);
      left = right;
      right = next;
    }
    return left << half_bits_ | right;
  }

  uint64_t size_ = 0;
  uint64_t seed_ = 0;
  unsigned half_bits_ = 1;
};

}  // namespace kernloop::softgpu
