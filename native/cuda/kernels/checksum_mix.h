// The 128-bit checksum of a chunk of memory, in a form that any number of threads can compute in any order.
//
// A chunk is a sequence of 16-byte words (little-endian; the last one zero-extended). Each word goes through a
// permutation of 128 bits that its position in the chunk selects; the results are added up, each half modulo 2^64; the
// sum and the length go through a last permutation.
//  - A change within one word always changes the checksum: permutations lose nothing.
//  - Words that move (swaps, rotations, shifted blocks) or appear (zeros too) contribute something else: the position
//    enters twice, with a multiplication between, so no plain difference of contents cancels a difference of positions.
//  - Any other change is missed with a probability of about 2^-128.
// It detects accidents, not adversaries. The device and the host compile this same text.
#pragma once

#include <stdint.h>

#if defined(__CUDA__) || defined(__HIP__)
#define KERNLOOP_DEVICE __attribute__((device)) inline __attribute__((always_inline))
#else
#define KERNLOOP_DEVICE inline
#endif

namespace kernloop::cuda {

struct ChecksumSum {
  uint64_t first, second;
};

// Odd, and random-looking: the binary digits of sqrt(2), sqrt(3), sqrt(5), … after the point, made odd.
constexpr uint64_t kMixPosition1 = 0x6A09E667F3BCC909ull;
constexpr uint64_t kMixPosition2 = 0xBB67AE8584CAA73Bull;
constexpr uint64_t kMixMultiplier1 = 0x3C6EF372FE94F82Bull;
constexpr uint64_t kMixMultiplier2 = 0xA54FF53A5F1D36F1ull;
constexpr uint64_t kMixMultiplier3 = 0x510E527FADE682D1ull;
constexpr uint64_t kMixMultiplier4 = 0x9B05688C2B3E6C1Full;

// One instruction on the device; a permutation, so that the low half learns of the high one.
KERNLOOP_DEVICE uint64_t fold_halves(uint64_t value) {
  return value ^ (value >> 32);
}

// Four rounds, each an invertible step: multiplications carry upwards, folds downwards.
KERNLOOP_DEVICE ChecksumSum mix_word(uint64_t low, uint64_t high, uint64_t position) {
  uint64_t a = low + (position + 1) * kMixPosition1;
  a = fold_halves(a) * kMixMultiplier1;
  uint64_t b = high + fold_halves(a);
  b = fold_halves(b) * kMixMultiplier2;
  b ^= (position + 1) * kMixPosition2;
  a += fold_halves(b);
  a = fold_halves(a) * kMixMultiplier3;
  a = fold_halves(a);
  b += a;
  b = fold_halves(b) * kMixMultiplier4;
  b = fold_halves(b);
  return {a, b};
}

// A permutation of the sum for every length.
KERNLOOP_DEVICE ChecksumSum finish_checksum(ChecksumSum sum, uint64_t bytes) {
  return mix_word(sum.first, sum.second, ~bytes);
}

}  // namespace kernloop::cuda
