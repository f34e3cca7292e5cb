#include "verdict/poison_fill.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kernloop::replay {

namespace {

constexpr std::array<std::pair<std::string_view, Fill>, 7> kNames = {{{"captured", Fill::kCaptured},
                                                                      {"huge", Fill::kHuge},
                                                                      {"opposite", Fill::kOpposite},
                                                                      {"zeros", Fill::kZeros},
                                                                      {"above", Fill::kAbove},
                                                                      {"below", Fill::kBelow},
                                                                      {"ones", Fill::kOnes}}};

// Halves of the form 0111'10mm'01mm'mmmm: near the largest number of every float format. Like the softgpu's
// unwritten_fill.cpp, but each byte differs between the two of a pair for every draw.
constexpr uint32_t kHuge = 0x78407840, kHugeFree = 0x033f033f, kSwapSign = 0x83ff83ff;
constexpr uint32_t kNan = 0x7ff97ff9, kNanFree = 0x00060006;

uint64_t scrambled(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

uint32_t word_of(Fill fill, uint64_t word, bool is_leading) {
  if (fill == Fill::kZeros) return 0;
  if (fill == Fill::kOnes) return UINT32_MAX;
  const uint64_t random = scrambled(word);
  const auto bits = static_cast<uint32_t>(random);
  const uint32_t positive = kHuge | (bits & kHugeFree), negative = positive ^ kSwapSign;
  std::pair<uint32_t, uint32_t> pair = {positive, negative};
  if (!is_leading) {
    switch (random >> 32 & 15) {
      case 0:
        pair = {kNan | (bits & kNanFree), negative};
        break;
      case 1:
        pair = {1 + 2 * (bits >> 8 & 15), negative};  // two positive numbers might share a byte
        break;
      case 2:
      case 3:
        pair = {0, UINT32_MAX};
        break;
      default:
        break;
    }
  }
  if ((random >> 36 & 1) != 0) std::swap(pair.first, pair.second);
  return fill == Fill::kHuge ? pair.first : pair.second;
}

// Adds 1 to each byte, with carry: no byte stays the same. Words that the range cuts are compared by the part within
// it.
void move_range(Fill fill, uint64_t address, std::span<uint8_t> bytes, Bytes post) {
  for (size_t i = 0; i < bytes.size();) {
    const size_t in_word = (address + i) % 4, count = std::min<size_t>(4 - in_word, bytes.size() - i);
    uint32_t word = 0;
    std::memcpy(reinterpret_cast<uint8_t*>(&word) + in_word, &post[i], count);
    word = fill == Fill::kAbove ? word + 0x01010101 : word - 0x01010101;
    std::memcpy(&bytes[i], reinterpret_cast<const uint8_t*>(&word) + in_word, count);
    i += count;
  }
}

// Words are aligned by device address, which keeps elements whole.
void poison_range(Fill fill, uint64_t range_begin, uint64_t address, std::span<uint8_t> bytes) {
  constexpr uint64_t kLeadingWords = 4;
  for (size_t i = 0; i < bytes.size();) {
    const uint64_t word = (address + i) / 4, in_word = (address + i) % 4;
    const uint32_t value = word_of(fill, word, word - range_begin / 4 < kLeadingWords);
    const size_t count = std::min<size_t>(4 - in_word, bytes.size() - i);
    std::memcpy(&bytes[i], reinterpret_cast<const uint8_t*>(&value) + in_word, count);
    i += count;
  }
}

// Calls `visit(range, from, to)` for each part of the overwritten ranges in [offset, offset + size), as offsets in
// there.
template <typename Visit>
void for_each_overwritten(const Target& target, uint64_t offset, uint64_t size, const Visit& visit) {
  auto range = std::lower_bound(target.overwritten.begin(), target.overwritten.end(), offset,
                                [](const AddressRange& r, uint64_t at) { return r.end() <= at; });
  for (; range != target.overwritten.end() && range->base < offset + size; ++range) {
    visit(*range, std::max(range->base, offset) - offset, std::min(range->end(), offset + size) - offset);
  }
}

}  // namespace

std::optional<Fill> fill_of(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.first == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

std::string_view name_of(Fill fill) {
  return kNames[static_cast<size_t>(fill)].first;
}

void poison(Fill fill, const Target& target, uint64_t offset, std::span<uint8_t> bytes, Bytes post) {
  if (fill == Fill::kCaptured) return;
  for_each_overwritten(target, offset, bytes.size(), [&](const AddressRange& range, uint64_t from, uint64_t to) {
    if (needs_post(fill))
      return move_range(fill, target.address + offset + from, bytes.subspan(from, to - from),
                        post.subspan(from, to - from));
    poison_range(fill, target.address + range.base, target.address + offset + from, bytes.subspan(from, to - from));
  });
}

Status poison_overwritten(Fill fill, Memory& memory, ContentCache& cache, const std::vector<Target>& targets) {
  if (fill == Fill::kCaptured) return Unit{};
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  Buffer copy, post;
  for (const Target& target : targets) {
    for (uint64_t offset = 0; offset < target.size; offset += chunk_bytes) {
      const uint64_t size = std::min(chunk_bytes, target.size - offset);
      uint64_t begin = size, end = 0;
      for_each_overwritten(target, offset, size, [&](const AddressRange&, uint64_t from, uint64_t to) {
        begin = std::min(begin, from);
        end = std::max(end, to);
      });
      if (begin >= end) continue;
      // One write instead of many to a remote memory, including the bytes between the ranges.
      copy.resize(end - begin);
      if (auto read = read_content(cache, target.pre, offset + begin, copy); !read) return read;
      if (needs_post(fill)) {
        post.resize(copy.size());
        if (auto read = read_content(cache, target.post, offset + begin, post); !read) return read;
      }
      poison(fill, target, offset + begin, copy, post);
      if (auto written = write_kept(memory, target, offset + begin, copy); !written) return written;
    }
  }
  return Unit{};
}

Result<uint64_t> count_unwritten(Fill fill, Memory& memory, ContentCache& cache, const std::vector<Target>& targets) {
  uint64_t unwritten = 0;
  Buffer poisoned;
  for (const Target& target : targets) {
    if (target.overwritten.empty()) continue;
    auto walked = walk_target(memory, cache, target, target.post, [&](uint64_t offset, Bytes post, Bytes actual) {
      poisoned.assign(post.begin(), post.end());
      poison(fill, target, offset, poisoned, post);
      for_each_overwritten(target, offset, post.size(), [&](const AddressRange&, uint64_t from, uint64_t to) {
        for (uint64_t i = from; i < to; ++i) unwritten += actual[i] == poisoned[i] && actual[i] != post[i] ? 1 : 0;
      });
      return Status(Unit{});
    });
    if (!walked) return walked.error();
  }
  return unwritten;
}

}  // namespace kernloop::replay
