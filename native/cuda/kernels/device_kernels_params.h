// What the launcher hands each of our kernels: one structure by value. Addresses are the device's.
#pragma once

#include <stdint.h>

namespace kernloop::cuda {

constexpr uint32_t kThreadsPerBlock = 256;
// Ranges that one pointer search knows; the launcher makes a pass for each so many. 1 MiB of device memory, reserved
// when the module is loaded.
constexpr uint32_t kMaxSearchTargets = 65536;
// Every stride-th range start, kept in shared memory.
constexpr uint32_t kMaxSearchSamples = 512;

// What a block found. checksums: the two halves of the sum; restore, compare: differing bytes, offset of the first (all
// ones: none); touch: the sum of what was read.
struct BlockResult {
  uint64_t first, second;
};

// A chunk is cut into slices, each the work of a block.
struct ChecksumParams {
  uint64_t base, bytes;
  uint64_t chunk_bytes, slice_bytes;  // multiples of 16
  uint64_t slices_per_chunk;
  uint64_t first_slice;  // the work of block 0
  uint64_t results;      // BlockResult a block
};

// A block does words_per_block of the aligned 16-byte words of `base`.
struct RangeParams {
  uint64_t base, bytes;
  uint64_t other;  // restore: the source; compare: the second range
  uint64_t words_per_block;
  uint64_t results;  // BlockResult a block
};

struct FillParams {
  uint64_t base, bytes;
  uint64_t pattern;  // byte i of the range is byte i % 8 of it
};

struct SearchTarget {
  uint64_t begin, end;
};

struct SetTargetsParams {
  uint64_t source;  // SearchTarget a target
  uint64_t count;
};

struct TakeHitsParams {
  uint64_t destination;  // a bit a target, in 32-bit words
  uint64_t targets;
};

struct SearchParams {
  uint64_t base, bytes;  // the whole region: positions count from its start
  // Aligned 16-byte words; word 0 holds the first byte. Those that lie in the region with the 8 bytes after them, then
  // the few at its ends that do not.
  uint64_t first_word, stop_word;
  uint64_t end_word[3];
  uint64_t end_words;
  uint64_t low, span;            // of all targets together
  uint64_t unaligned_base_bits;  // bits that are zero in the start of every target
  uint32_t targets;
  uint32_t sample_stride, samples;
  uint32_t tagged_interior;  // 0: a tagged address counts at the start of a target only
};

}  // namespace kernloop::cuda
