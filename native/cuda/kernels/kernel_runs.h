// Checksums and pointer search by our kernels, for launchers of any driver. A launcher `on` has:
//  - limits: LaunchLimits
//  - Status reserve(bytes): room for so many bytes that host and device share, at host() and at device()
//  - Status run(name, blocks, params): one of our kernels, from its launch to its end
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cuda/kernels/checksum_mix.h"
#include "cuda/kernels/device_kernels_params.h"

namespace kernloop::cuda {

struct Checksum128 {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Checksum128&) const = default;
};

struct AddressRange {
  uint64_t base = 0, size = 0;
  uint64_t end() const { return base + size; }
};

// Limits of one launch. A device that also drives a display or serves other processes must not be blocked for long: 4
// GiB take 1 to 2 ms on a data-centre GPU and less than 100 ms on a slow one. Smaller in tests.
struct LaunchLimits {
  uint64_t bytes = 4ull << 30;  // a multiple of 16
  uint32_t blocks = 65536;
  uint32_t targets = 65536;  // no more than kMaxSearchTargets
};

constexpr uint64_t kMinSliceBytes = 16 << 10, kMaxSliceBytes = 256 << 10;
constexpr uint64_t kAddressBits = 48;

static_assert(sizeof(BlockResult) == 16 && sizeof(SearchTarget) == 16);  // written and read as 16-byte words
static_assert(LaunchLimits{}.targets == kMaxSearchTargets);

inline uint64_t divide_up(uint64_t value, uint64_t by) {
  return value / by + (value % by != 0);
}

inline Error bad_argument(const std::string& what) {
  return {"INTERNAL_ERROR", "device kernels: " + what, "this is a bug in Kernloop: please report it"};
}

inline Status check_range(uint64_t base, uint64_t bytes) {
  if (base + bytes < base) return bad_argument("the range wraps around the end of the address space");
  return Unit{};
}

// The checksum of checksum_mix.h, on the host. The chunk may have any size.
inline Checksum128 checksum_on_host(std::span<const uint8_t> chunk) {
  ChecksumSum sum{0, 0};
  for (uint64_t at = 0; at < chunk.size(); at += 16) {
    uint64_t word[2] = {0, 0};
    std::memcpy(word, chunk.data() + at, std::min<uint64_t>(16, chunk.size() - at));
    const ChecksumSum mixed = mix_word(word[0], word[1], at / 16);
    sum = {sum.first + mixed.first, sum.second + mixed.second};
  }
  const ChecksumSum last = finish_checksum(sum, chunk.size());
  return {last.first, last.second};
}

// Bytes of a slice: enough slices to fill the device, none so small that its fixed costs show.
inline uint64_t slice_bytes_of(uint64_t bytes) {
  return std::clamp(bytes / 4096 / 16 * 16, kMinSliceBytes, kMaxSliceBytes);
}

struct SliceGrid {
  uint64_t slice_bytes, slices_per_chunk, slices;
  SliceGrid(uint64_t bytes, uint64_t chunk_bytes) {
    const uint64_t used_of_chunk = std::min(chunk_bytes, bytes);
    slice_bytes = std::min(slice_bytes_of(bytes), chunk_bytes);
    slices_per_chunk = divide_up(used_of_chunk, slice_bytes);
    const uint64_t last_chunk = (bytes - 1) / chunk_bytes;
    slices = last_chunk * slices_per_chunk + divide_up(bytes - last_chunk * chunk_bytes, slice_bytes);
  }
};

// Targets that can be pointed to (addresses in memory have 48 bits), with their indices.
struct Targets {
  std::vector<SearchTarget> ranges;
  std::vector<uint32_t> indices;
};

inline Result<Targets> searchable(std::span<const AddressRange> targets) {
  constexpr uint64_t kLimit = 1ull << kAddressBits;
  if (targets.size() > UINT32_MAX) return bad_argument("more than 2^32 targets");
  Targets result;
  uint64_t end = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    const AddressRange& target = targets[i];
    if (target.base < end || target.end() < target.base) return bad_argument("targets are not sorted and disjoint");
    end = target.end();
    if (target.size == 0 || target.base >= kLimit) continue;
    result.ranges.push_back({target.base, std::min(end, kLimit)});
    result.indices.push_back(static_cast<uint32_t>(i));
  }
  return result;
}

// The search of one region, for one set of targets.
inline SearchParams search_params(uint64_t base, uint64_t bytes, std::span<const SearchTarget> targets) {
  SearchParams p{};
  p.base = base;
  p.bytes = bytes;
  p.low = targets.front().begin;
  p.span = targets.back().end - p.low;
  uint64_t bits = 0;
  for (const SearchTarget& target : targets) bits |= target.begin;
  p.unaligned_base_bits = bits == 0 ? 0 : (1ull << std::countr_zero(bits)) - 1;
  p.targets = static_cast<uint32_t>(targets.size());
  p.sample_stride = static_cast<uint32_t>(divide_up(targets.size(), kMaxSearchSamples));
  p.samples = static_cast<uint32_t>(divide_up(targets.size(), p.sample_stride));

  const uint64_t from_word = base % 16 + bytes;  // the region's end, counted from word 0
  const uint64_t words = divide_up(from_word, 16);
  p.first_word = base % 16 == 0 ? 0 : 1;
  p.stop_word = std::max(p.first_word, from_word < 24 ? 0 : (from_word - 24) / 16 + 1);
  if (p.first_word == 1) p.end_word[p.end_words++] = 0;
  for (uint64_t word = p.stop_word; word < words; ++word) p.end_word[p.end_words++] = word;
  return p;
}

// A kernel that leaves one BlockResult a block: visit(block, result) for each.
template <typename Launcher, typename Params, typename Visit>
Status reduce(Launcher& on, const char* name, uint64_t blocks, Params params, Visit&& visit) {
  Status status = on.reserve(blocks * sizeof(BlockResult));
  if (!status) return status;
  params.results = on.device();
  status = on.run(name, blocks, params);
  if (!status) return status;
  const auto* results = static_cast<const BlockResult*>(on.host());
  for (uint64_t block = 0; block < blocks; ++block) visit(block, results[block]);
  return Unit{};
}

// One a chunk; the last may be short. chunk_bytes is a multiple of 16.
template <typename Launcher>
Status run_checksums(Launcher& on, uint64_t base, uint64_t bytes, uint64_t chunk_bytes, std::span<Checksum128> out) {
  if (chunk_bytes == 0 || chunk_bytes % 16 != 0) return bad_argument("a chunk is not a multiple of 16 bytes");
  if (out.size() != divide_up(bytes, chunk_bytes)) return bad_argument("there must be one checksum a chunk");
  if (Status status = check_range(base, bytes); !status) return status;
  if (bytes == 0) return Unit{};
  const SliceGrid grid(bytes, chunk_bytes);
  std::vector<ChecksumSum> sums(out.size(), ChecksumSum{0, 0});
  const uint64_t slices_per_launch = std::clamp<uint64_t>(on.limits.bytes / grid.slice_bytes, 1, on.limits.blocks);
  for (uint64_t first = 0; first < grid.slices; first += slices_per_launch) {
    const ChecksumParams params{base, bytes, chunk_bytes, grid.slice_bytes, grid.slices_per_chunk, first, 0};
    Status status = reduce(on, "kernloop_checksums", std::min(slices_per_launch, grid.slices - first), params,
                           [&](uint64_t block, const BlockResult& result) {
                             ChecksumSum& sum = sums[(first + block) / grid.slices_per_chunk];
                             sum = {sum.first + result.first, sum.second + result.second};
                           });
    if (!status) return status;
  }
  for (size_t chunk = 0; chunk < out.size(); ++chunk) {
    const ChecksumSum last = finish_checksum(sums[chunk], std::min(chunk_bytes, bytes - chunk * chunk_bytes));
    out[chunk] = {last.first, last.second};
  }
  return Unit{};
}

template <typename Launcher>
Status set_search_targets(Launcher& on, std::span<const SearchTarget> targets) {
  Status status = on.reserve(targets.size_bytes());
  if (!status) return status;
  std::memcpy(on.host(), targets.data(), targets.size_bytes());
  return on.run("kernloop_set_targets", divide_up(targets.size(), kThreadsPerBlock),
                SetTargetsParams{on.device(), targets.size()});
}

template <typename Launcher>
Status search_region(Launcher& on, uint64_t base, uint64_t bytes, std::span<const SearchTarget> targets,
                     bool tagged_interior) {
  SearchParams whole = search_params(base, bytes, targets);
  whole.tagged_interior = tagged_interior ? 1 : 0;
  SearchParams piece = whole;
  do {
    piece.stop_word = std::min(whole.stop_word, piece.first_word + on.limits.bytes / 16);
    const uint64_t blocks = std::clamp<uint64_t>((piece.stop_word - piece.first_word) / 4 / kThreadsPerBlock, 1, 8192);
    if (Status status = on.run("kernloop_find_pointers", blocks, piece); !status) return status;
    piece.end_words = 0;
    piece.first_word = piece.stop_word;
  } while (piece.first_word < whole.stop_word);
  return Unit{};
}

template <typename Launcher>
Status take_search_hits(Launcher& on, std::span<const uint32_t> indices, std::vector<uint32_t>* hits) {
  const uint64_t words = divide_up(indices.size(), 32);
  Status status = on.reserve(words * 4);
  if (status)
    status =
        on.run("kernloop_take_hits", divide_up(words, kThreadsPerBlock), TakeHitsParams{on.device(), indices.size()});
  if (!status) return status;
  const auto* bits = static_cast<const uint32_t*>(on.host());
  for (size_t i = 0; i < indices.size(); ++i)
    if ((bits[i / 32] >> (i % 32) & 1) != 0) hits->push_back(indices[i]);
  return Unit{};
}

// Finds the targets that the region may hold pointers to, by the rules of capture/core/pointer_scan.h: their indices,
// ascending. The targets are sorted and disjoint. Without `tagged_interior` a tagged address counts only at the start
// of a target.
template <typename Launcher>
Status run_find_pointers(Launcher& on, uint64_t base, uint64_t bytes, std::span<const AddressRange> targets,
                         std::vector<uint32_t>* hits, bool tagged_interior) {
  hits->clear();
  if (Status status = check_range(base, bytes); !status) return status;
  Result<Targets> all = searchable(targets);
  if (!all) return all.error();
  if (bytes < 8) return Unit{};
  for (size_t first = 0; first < all->ranges.size(); first += on.limits.targets) {
    const size_t count = std::min<size_t>(on.limits.targets, all->ranges.size() - first);
    const std::span ranges = std::span(all->ranges).subspan(first, count);
    Status status = set_search_targets(on, ranges);
    if (status) status = search_region(on, base, bytes, ranges, tagged_interior);
    if (status) status = take_search_hits(on, std::span(all->indices).subspan(first, count), hits);
    if (!status) return status;
  }
  return Unit{};
}

}  // namespace kernloop::cuda
