// Our GPU kernels, written to run at memory speed and to load no byte outside of the ranges they are given.
// device_kernels.ptx and gfx/ are made from this text (targets device_kernels_ptx and device_kernels_gfx);
// device_kernels_host.cpp compiles it for the host.
#include "cuda/kernels/device_kernels_params.h"
#include "cuda/kernels/device_shim.h"

namespace kernloop::cuda {

// ---- Memory ----

KERNLOOP_DEVICE uint64_t load_byte(uint64_t address) {
  return *KERNLOOP_POINTER(const uint8_t, address);
}
KERNLOOP_DEVICE void store_byte(uint64_t address, uint64_t value) {
  *KERNLOOP_POINTER(uint8_t, address) = static_cast<uint8_t>(value);
}
KERNLOOP_DEVICE void store_4(uint64_t aligned, uint32_t value) {
  *KERNLOOP_POINTER(uint32_t, aligned) = value;
}
KERNLOOP_DEVICE uint64_t load_8(uint64_t aligned) {
  return *KERNLOOP_POINTER(const Word8, aligned);
}
KERNLOOP_DEVICE Word16 load_16(uint64_t aligned) {
  return *KERNLOOP_POINTER(const Word16, aligned);
}
KERNLOOP_DEVICE void store_16(uint64_t aligned, Word16 word) {
  *KERNLOOP_POINTER(Word16, aligned) = word;
}

// `count` <= 16 bytes, zero-extended.
KERNLOOP_DEVICE Word16 load_bytes(uint64_t address, uint32_t count) {
  uint64_t low = 0, high = 0;
#pragma GCC unroll 1
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t byte = load_byte(address + i) << (8 * (i % 8));
    if (i < 8)
      low |= byte;
    else
      high |= byte;
  }
  return Word16{low, high};
}

// 16 bytes at any address. They lie within [begin, end), and nothing outside is loaded.
KERNLOOP_DEVICE Word16 load_unaligned(uint64_t address, uint64_t begin, uint64_t end) {
  const uint64_t aligned = address & ~7ull;
  if (aligned < begin || end - aligned < 24) return load_bytes(address, 16);
  const uint32_t shift = 8 * static_cast<uint32_t>(address & 7);
  const uint64_t one = load_8(aligned), two = load_8(aligned + 8), three = load_8(aligned + 16);
  return Word16{one >> shift | two << 1 << (63 - shift), two >> shift | three << 1 << (63 - shift)};
}

// A range as aligned 16-byte words, with up to 15 bytes before and after them.
struct Parts {
  uint64_t head, words, tail;
  KERNLOOP_DEVICE static Parts of(uint64_t base, uint64_t bytes) {
    const uint64_t to_boundary = (0 - base) % 16;
    const uint64_t head = to_boundary < bytes ? to_boundary : bytes;
    return {head, (bytes - head) / 16, (bytes - head) % 16};
  }
  // Calls act(offset) for the loose byte that is this thread's, if any: block 0 takes them.
  template <typename Act>
  KERNLOOP_DEVICE void loose_byte(const Thread& thread, Act act) const {
    if (thread.block != 0) return;
    if (thread.index < head) act(static_cast<uint64_t>(thread.index));
    if (thread.index < tail) act(head + 16 * words + thread.index);
  }
};

// ---- Kernels that give one result a block: Work::thread() of every thread, combined by Work::combine() ----

struct Partials {
  BlockResult of[kThreadsPerBlock];
};

template <typename Work, typename Params>
KERNLOOP_DEVICE void compute_partials(const Params& params, Partials& partials, const Thread& thread) {
  partials.of[thread.index] = Work::thread(params, thread);
}

template <typename Work, typename Params>
KERNLOOP_DEVICE void combine_columns(const Params&, Partials& partials, const Thread& thread) {
  if (thread.index >= 32) return;
  BlockResult result = partials.of[thread.index];
  for (uint32_t i = thread.index + 32; i < thread.threads; i += 32) result = Work::combine(result, partials.of[i]);
  partials.of[thread.index] = result;
}

template <typename Work, typename Params>
KERNLOOP_DEVICE void store_result(const Params& params, Partials& partials, const Thread& thread) {
  if (thread.index != 0) return;
  BlockResult result = partials.of[0];
  for (uint32_t i = 1; i < 32; ++i) result = Work::combine(result, partials.of[i]);
  store_16(params.results + 16ull * thread.block, Word16{result.first, result.second});
}

#define KERNLOOP_REDUCING_KERNEL(name, Params, Work) \
  KERNLOOP_KERNEL(name, Params, Partials, compute_partials<Work>, combine_columns<Work>, store_result<Work>)

// ---- Checksums ----

struct ChecksumWork {
  KERNLOOP_DEVICE static void add(BlockResult& sum, Word16 word, uint64_t position) {
    const ChecksumSum mixed = mix_word(word[0], word[1], position);
    sum.first += mixed.first;
    sum.second += mixed.second;
  }
  KERNLOOP_DEVICE static BlockResult combine(BlockResult one, BlockResult two) {
    return {one.first + two.first, one.second + two.second};
  }
  KERNLOOP_DEVICE static BlockResult thread(const ChecksumParams& p, const Thread& thread) {
    const uint64_t slice = p.first_slice + thread.block;
    const uint64_t chunk = slice / p.slices_per_chunk;
    const uint64_t in_chunk = (slice - chunk * p.slices_per_chunk) * p.slice_bytes;
    const uint64_t start = chunk * p.chunk_bytes + in_chunk;
    uint64_t length = p.slice_bytes;
    if (length > p.chunk_bytes - in_chunk) length = p.chunk_bytes - in_chunk;
    if (start >= p.bytes) return {0, 0};
    if (length > p.bytes - start) length = p.bytes - start;

    const uint64_t address = p.base + start, position = in_chunk / 16;
    const uint32_t words = static_cast<uint32_t>(length / 16);
    BlockResult sum = {0, 0};
    if (p.base % 16 == 0) {
      KERNLOOP_UNROLL
      for (uint32_t i = thread.index; i < words; i += thread.threads)
        add(sum, load_16(address + 16ull * i), position + i);
    } else {
      for (uint32_t i = thread.index; i < words; i += thread.threads)
        add(sum, load_unaligned(address + 16ull * i, p.base, p.base + p.bytes), position + i);
    }
    const uint32_t rest = static_cast<uint32_t>(length % 16);
    if (rest != 0 && thread.index == 0) add(sum, load_bytes(address + 16ull * words, rest), position + words);
    return sum;
  }
};

// ---- Restore, compare, touch, fill ----

KERNLOOP_DEVICE uint32_t count_nonzero_bytes(uint64_t value) {
  constexpr uint64_t kLow7 = 0x7F7F7F7F7F7F7F7Full;
  return static_cast<uint32_t>(__builtin_popcountll((((value & kLow7) + kLow7) | value) & ~kLow7));
}

template <bool kWrite>
struct DifferenceWork {
  KERNLOOP_DEVICE static BlockResult combine(BlockResult one, BlockResult two) {
    return {one.first + two.first, one.second < two.second ? one.second : two.second};
  }
  KERNLOOP_DEVICE static void note(BlockResult& result, uint32_t bytes, uint64_t offset) {
    result.first += bytes;
    if (offset < result.second) result.second = offset;
  }
  KERNLOOP_DEVICE static void word(const RangeParams& p, BlockResult& result, uint64_t offset, Word16 ours,
                                   Word16 theirs) {
    const uint64_t low = ours[0] ^ theirs[0], high = ours[1] ^ theirs[1];
    if ((low | high) == 0) return;
    const uint32_t bit = static_cast<uint32_t>(low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high));
    note(result, count_nonzero_bytes(low) + count_nonzero_bytes(high), offset + bit / 8);
    if (kWrite) store_16(p.base + offset, theirs);
  }
  KERNLOOP_DEVICE static BlockResult thread(const RangeParams& p, const Thread& thread) {
    BlockResult result = {0, ~0ull};
    const Parts parts = Parts::of(p.base, p.bytes);
    parts.loose_byte(thread, [&](uint64_t offset) {
      const uint64_t theirs = load_byte(p.other + offset);
      if (load_byte(p.base + offset) == theirs) return;
      note(result, 1, offset);
      if (kWrite) store_byte(p.base + offset, theirs);
    });
    const uint64_t begin = thread.block * p.words_per_block;
    const uint64_t end = begin + p.words_per_block < parts.words ? begin + p.words_per_block : parts.words;
    const uint64_t step = 16ull * thread.threads;
    uint64_t offset = parts.head + 16 * (begin + thread.index);
    const uint64_t stop = parts.head + 16 * end;
    if ((p.other + parts.head) % 16 == 0) {
      // Two of each in flight: what is stored might be what is loaded next, as far as the compiler knows.
      for (; offset + step < stop; offset += 2 * step) {
        const Word16 ours = load_16(p.base + offset), next_ours = load_16(p.base + offset + step);
        const Word16 theirs = load_16(p.other + offset), next_theirs = load_16(p.other + offset + step);
        word(p, result, offset, ours, theirs);
        word(p, result, offset + step, next_ours, next_theirs);
      }
      if (offset < stop) word(p, result, offset, load_16(p.base + offset), load_16(p.other + offset));
    } else {
      for (; offset < stop; offset += step)
        word(p, result, offset, load_16(p.base + offset), load_unaligned(p.other + offset, p.other, p.other + p.bytes));
    }
    return result;
  }
};

struct TouchWork {
  KERNLOOP_DEVICE static BlockResult combine(BlockResult one, BlockResult two) {
    return {one.first + two.first, one.second + two.second};
  }
  KERNLOOP_DEVICE static BlockResult thread(const RangeParams& p, const Thread& thread) {
    BlockResult result = {0, 0};
    const Parts parts = Parts::of(p.base, p.bytes);
    parts.loose_byte(thread, [&](uint64_t offset) { result.first += load_byte(p.base + offset); });
    const uint64_t begin = thread.block * p.words_per_block;
    const uint64_t end = begin + p.words_per_block < parts.words ? begin + p.words_per_block : parts.words;
    KERNLOOP_UNROLL
    for (uint64_t i = begin + thread.index; i < end; i += thread.threads) {
      const Word16 word = load_16(p.base + parts.head + 16 * i);
      result.first += word[0];
      result.second += word[1];
    }
    return result;
  }
};

KERNLOOP_DEVICE void fill_words(const FillParams& p, const Thread& thread) {
  const Parts parts = Parts::of(p.base, p.bytes);
  parts.loose_byte(thread, [&](uint64_t offset) { store_byte(p.base + offset, p.pattern >> (8 * (offset % 8))); });
  // The pattern as it lies in an aligned word.
  const uint32_t turn = 8 * static_cast<uint32_t>(parts.head % 8);
  const uint64_t turned = p.pattern >> turn | p.pattern << 1 << (63 - turn);
  const uint64_t stride = static_cast<uint64_t>(thread.blocks) * thread.threads;
  for (uint64_t i = thread.block * static_cast<uint64_t>(thread.threads) + thread.index; i < parts.words; i += stride)
    store_16(p.base + parts.head + 16 * i, Word16{turned, turned});
}

// ---- Pointer search: the rules of capture/core/pointer_scan.h ----

extern "C" {
KERNLOOP_VARIABLE SearchTarget kernloop_search_targets[kMaxSearchTargets];
KERNLOOP_VARIABLE uint32_t kernloop_search_hits[kMaxSearchTargets / 32];  // a bit a target
}

KERNLOOP_DEVICE void set_targets(const SetTargetsParams& p, const Thread& thread) {
  for (uint64_t i = static_cast<uint64_t>(thread.block) * thread.threads + thread.index; i < p.count;
       i += static_cast<uint64_t>(thread.blocks) * thread.threads) {
    const Word16 target = load_16(p.source + 16 * i);
    kernloop_search_targets[i] = {target[0], target[1]};
    if (i % 32 == 0) kernloop_search_hits[i / 32] = 0;
  }
}

KERNLOOP_DEVICE void take_hits(const TakeHitsParams& p, const Thread& thread) {
  for (uint64_t i = static_cast<uint64_t>(thread.block) * thread.threads + thread.index; 32 * i < p.targets;
       i += static_cast<uint64_t>(thread.blocks) * thread.threads)
    store_4(p.destination + 4 * i, kernloop_search_hits[i]);
}

struct SearchShared {
  uint64_t samples[kMaxSearchSamples];
  uint32_t hits[kMaxSearchTargets / 32];
};

constexpr uint64_t kAddressMask = (1ull << 48) - 1;

KERNLOOP_DEVICE void begin_search(const SearchParams& p, SearchShared& shared, const Thread& thread) {
  for (uint32_t i = thread.index; i < p.samples; i += thread.threads)
    shared.samples[i] = kernloop_search_targets[i * p.sample_stride].begin;
  for (uint32_t i = thread.index; i * 32 < p.targets; i += thread.threads) shared.hits[i] = 0;
}

// The target that holds the address, or kMaxSearchTargets.
KERNLOOP_DEVICE uint32_t find_target(const SearchParams& p, const SearchShared& shared, uint64_t address) {
  uint32_t low = 0, high = p.samples;  // the first sample above the address is in [low, high]
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (shared.samples[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return kMaxSearchTargets;
  high = low * p.sample_stride;
  if (high > p.targets) high = p.targets;
  low = (low - 1) * p.sample_stride + 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (kernloop_search_targets[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return address < kernloop_search_targets[low - 1].end ? low - 1 : kMaxSearchTargets;
}

KERNLOOP_DEVICE void check_value(const SearchParams& p, SearchShared& shared, uint64_t value, uint64_t position) {
  const uint64_t address = value & kAddressMask;
  if (address - p.low >= p.span) return;
  const bool plain = value == address || (p.tagged_interior != 0 && position % 8 == 0 && address % 16 == 0);
  // Tagged, and no target starts on such a boundary: spares most random bits the search.
  if (!plain && (address & p.unaligned_base_bits) != 0) return;
  const uint32_t target = find_target(p, shared, address);
  if (target == kMaxSearchTargets) return;
  if (!plain && kernloop_search_targets[target].begin != address) return;
  const uint32_t bit = 1u << (target % 32);
  if ((shared.hits[target / 32] & bit) == 0) atomic_or(&shared.hits[target / 32], bit);
}

// Every value that starts in the word, byte by byte: at the ends of the region, where the word or the 7 bytes after it
// are not all in it.
KERNLOOP_DEVICE void search_at_end(const SearchParams& p, SearchShared& shared, uint64_t word) {
#pragma GCC unroll 1
  for (uint32_t i = 0; i < 16; ++i) {
    const uint64_t address = word + i;
    if (address < p.base || address - p.base + 8 > p.bytes) continue;
    check_value(p, shared, load_bytes(address, 8)[0], address - p.base);
  }
}

// An aligned word with the 8 bytes after it: all of the 16 values that start in the word.
struct Window {
  uint64_t one, two, three;
  KERNLOOP_DEVICE static Window at(uint64_t address) {
    const Word16 word = load_16(address);
    return {word[0], word[1], load_8(address + 16)};
  }
  KERNLOOP_DEVICE uint32_t part(uint32_t i) const {
    const uint64_t word = i < 2 ? one : i < 4 ? two : three;
    return static_cast<uint32_t>(i % 2 == 0 ? word : word >> 32);
  }
  // Bits 16 to 47 of the value that starts at byte `at`.
  KERNLOOP_DEVICE uint32_t middle_bits(uint32_t at) const {
    const uint32_t first = (at + 2) / 4, shift = 8 * ((at + 2) % 4);
    return shift == 0 ? part(first) : part(first) >> shift | part(first + 1) << (32 - shift);
  }
  // Whether any value lies between the first target and the last, to 64 KiB: an add and a minimum for each.
  KERNLOOP_DEVICE bool may_hit(const SearchParams& p) const {
    const uint32_t low = static_cast<uint32_t>(p.low >> 16);
    const uint32_t span = static_cast<uint32_t>((p.low + p.span - 1) >> 16) - low;
    uint32_t nearest = ~0u;
#pragma GCC unroll 16
    for (uint32_t at = 0; at < 16; ++at) {
      const uint32_t distance = middle_bits(at) - low;
      nearest = distance < nearest ? distance : nearest;
    }
    return nearest <= span;
  }
};

KERNLOOP_DEVICE void search_window(const SearchParams& p, SearchShared& shared, Window window, uint64_t position) {
  if (!window.may_hit(p)) return;
#pragma GCC unroll 1
  for (uint32_t at = 0; at < 16; ++at) {
    check_value(p, shared, window.one, position + at);
    window.one = window.one >> 8 | window.two << 56;
    window.two = window.two >> 8 | window.three << 56;
    window.three >>= 8;
  }
}

KERNLOOP_DEVICE void search_words(const SearchParams& p, SearchShared& shared, const Thread& thread) {
  const uint64_t aligned = p.base & ~15ull;
  const uint64_t lane = static_cast<uint64_t>(thread.block) * thread.threads + thread.index;
  if (lane < p.end_words) search_at_end(p, shared, aligned + 16 * p.end_word[lane]);
  const uint64_t stride = static_cast<uint64_t>(thread.blocks) * thread.threads;
  // Two at a time, to have enough loads in flight.
  for (uint64_t i = p.first_word + lane; i < p.stop_word; i += 2 * stride) {
    const uint64_t j = i + stride < p.stop_word ? i + stride : i;
    const uint64_t here = aligned + 16 * i, there = aligned + 16 * j;
    const Window one = Window::at(here), two = Window::at(there);
    search_window(p, shared, one, here - p.base);
    if (j != i) search_window(p, shared, two, there - p.base);
  }
}

KERNLOOP_DEVICE void merge_hits(const SearchParams& p, SearchShared& shared, const Thread& thread) {
  for (uint32_t i = thread.index; i * 32 < p.targets; i += thread.threads) {
    if ((shared.hits[i] & ~kernloop_search_hits[i]) != 0) atomic_or(&kernloop_search_hits[i], shared.hits[i]);
  }
}

}  // namespace kernloop::cuda

using namespace kernloop::cuda;

KERNLOOP_REDUCING_KERNEL(kernloop_checksums, ChecksumParams, ChecksumWork)
#ifndef __HIP__  // a replay on AMD's GPUs does these by the runtime
KERNLOOP_REDUCING_KERNEL(kernloop_restore, RangeParams, DifferenceWork<true>)
KERNLOOP_REDUCING_KERNEL(kernloop_compare, RangeParams, DifferenceWork<false>)
KERNLOOP_REDUCING_KERNEL(kernloop_touch, RangeParams, TouchWork)
KERNLOOP_SIMPLE_KERNEL(kernloop_fill, FillParams, fill_words)
#endif
KERNLOOP_SIMPLE_KERNEL(kernloop_set_targets, SetTargetsParams, set_targets)
KERNLOOP_KERNEL(kernloop_find_pointers, SearchParams, SearchShared, begin_search, search_words, merge_hits)
KERNLOOP_SIMPLE_KERNEL(kernloop_take_hits, TakeHitsParams, take_hits)
