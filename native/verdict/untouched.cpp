#include "verdict/untouched.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

// Untouched bytes in a chunk, as offsets in the target.
std::vector<AddressRange> untouched_in(const Target& target, const AddressRange& chunk) {
  std::vector<AddressRange> found;
  auto range = std::lower_bound(target.untouched.begin(), target.untouched.end(), chunk.base,
                                [](const AddressRange& r, uint64_t at) { return r.end() <= at; });
  for (; range != target.untouched.end() && range->base < chunk.end(); ++range) {
    const uint64_t from = std::max(range->base, chunk.base), to = std::min(range->end(), chunk.end());
    found.push_back({from, to - from});
  }
  return found;
}

// The four bytes that a disturbed launch begins with at `address`, a multiple of 4: each differs from the app's.
// Halves, floats and doubles are finite and greater than 1: sums and products show them, and a product with 0 stays 0;
// their signs vary.
uint32_t disturbed_word(uint64_t address, uint32_t app) {
  constexpr uint32_t kScramble = 0x9E3779B1, kLow = 0x35, kOtherLow = 0x9A, kHigh = 0x42, kOtherHigh = 0x43;
  constexpr uint32_t kOther = (kLow ^ kOtherLow) | (kHigh ^ kOtherHigh) << 8, kHalves = 0x00010001;
  const uint32_t draw = static_cast<uint32_t>(address / 4) * kScramble >> 16;
  const uint32_t half = (kLow ^ (draw & 1) * (kLow ^ kOtherLow)) | (kHigh ^ (draw >> 1 & 1)) << 8 | (draw & 0x100) << 7;
  const uint32_t chosen = half * kHalves, differs = chosen ^ app;
  // 0x80 in each byte that equals the app's.
  const uint32_t same = ~(((differs & 0x7F7F7F7F) + 0x7F7F7F7F) | differs) & 0x80808080;
  return chosen ^ (((same << 1) - (same >> 7)) & kOther * kHalves);
}

uint8_t disturbed(uint64_t address, uint8_t app) {
  const unsigned shift = address % 4 * 8;
  return static_cast<uint8_t>(disturbed_word(address & ~uint64_t{3}, uint32_t{app} << shift) >> shift);
}

// Writes the bytes that a disturbed launch begins with into the parts of `bytes` (at `offset`) that are in `ranges`.
void disturb(const Target& target, const std::vector<AddressRange>& ranges, uint64_t offset, Bytes app,
             std::span<uint8_t> bytes) {
  const uint64_t base = target.address + offset;
  for (const AddressRange& range : ranges) {
    uint64_t i = range.base - offset;
    const uint64_t end = i + range.size;
    for (; i < end && (base + i) % 4 != 0; ++i) bytes[i] = disturbed(base + i, app[i]);
    for (; i + 4 <= end; i += 4) {
      uint32_t word;
      std::memcpy(&word, &app[i], 4);
      word = disturbed_word(base + i, word);
      std::memcpy(&bytes[i], &word, 4);
    }
    for (; i < end; ++i) bytes[i] = disturbed(base + i, app[i]);
  }
}

// Aligned blocks around `reads`, sorted offsets, that are untouched and that the app had 0 in throughout.
Result<std::vector<AddressRange>> zero_blocks(ContentCache& cache, const Target& target,
                                              const std::vector<AddressRange>& reads) {
  constexpr uint64_t kBlock = 64;  // a cache line
  std::vector<AddressRange> found;
  Buffer block(kBlock);
  uint64_t next = 0;  // address behind the last block that was looked at
  for (const AddressRange& read : reads) {
    const uint64_t end = target.address + read.end();
    uint64_t at = std::max((target.address + read.base) / kBlock * kBlock, next);
    for (; at < end; at += kBlock) {
      if (at < target.address || at + kBlock > target.address + target.size) continue;
      const AddressRange whole = {at - target.address, kBlock};
      const auto untouched = untouched_in(target, whole);
      if (untouched.size() != 1 || untouched.front().size != kBlock) continue;
      if (auto content = read_content(cache, target.pre, whole.base, block); !content) return content.error();
      if (std::all_of(block.begin(), block.end(), [](uint8_t byte) { return byte == 0; })) found.push_back(whole);
    }
    next = at;
  }
  return merge_ranges(std::move(found));
}

// Calls `visit(ranges, span, app, actual)` for each chunk with untouched bytes: `span` around these, the app's bytes in
// it, and the device's, which are written back.
template <typename Visit>
Status change_untouched(Memory& memory, ContentCache& cache, const Target& target, const Visit& visit) {
  if (target.untouched.empty()) return Unit{};
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  Buffer app, actual;
  for (uint64_t offset = 0; offset < target.size; offset += chunk_bytes) {
    const auto ranges = untouched_in(target, {offset, std::min(chunk_bytes, target.size - offset)});
    if (ranges.empty()) continue;
    const AddressRange span = {ranges.front().base, ranges.back().end() - ranges.front().base};
    app.resize(span.size);
    if (auto read = read_content(cache, target.pre, span.base, app); !read) return read;
    actual = app;
    if (auto read = read_kept(memory, target, span.base, actual); !read) return read;
    visit(ranges, span, Bytes(app), std::span<uint8_t>(actual));
    if (auto written = write_kept(memory, target, span.base, actual); !written) return written;
  }
  return Unit{};
}

}  // namespace

std::vector<std::vector<AddressRange>> untouched_by(const std::vector<Access>& accesses,
                                                    const std::vector<Target>& targets) {
  std::vector<AddressRange> touched;
  if (accesses.empty()) return std::vector<std::vector<AddressRange>>(targets.size());  // not recorded
  for (const Access& access : accesses) touched.push_back({access.base, access.size});
  touched = merge_ranges(std::move(touched));
  std::vector<std::vector<AddressRange>> found;
  for (const Target& target : targets) {
    std::vector<AddressRange>& untouched = found.emplace_back(without({{target.address, target.size}}, touched));
    for (AddressRange& range : untouched) range.base -= target.address;
    untouched = without(untouched, target.dropped);
  }
  return found;
}

void leave_unjudged_untouched(const std::vector<VaryingRange>& varying, std::vector<Target>& targets) {
  for (Target& target : targets) {
    std::vector<AddressRange> unjudged = target.ignored;
    for (const VaryingRange& range : varying) {
      if (range.is_variable == target.is_variable && range.target == target.name)
        unjudged.push_back({range.offset, range.bytes()});
    }
    target.untouched = without(target.untouched, merge_ranges(std::move(unjudged)));
  }
}

bool keep_written(const std::vector<Access>& accesses, std::vector<Target>& targets) {
  const auto written = written_by(accesses, targets);
  bool is_left = false;
  for (size_t t = 0; t < targets.size(); ++t) {
    targets[t].untouched = intersection(targets[t].untouched, written[t]);
    is_left = is_left || !targets[t].untouched.empty();
  }
  return is_left;
}

Result<bool> keep_zeros_read(const std::vector<Access>& accesses, ContentCache& cache, std::vector<Target>& targets,
                             EventSink& sink) {
  const auto read = read_by(accesses, targets);
  bool is_left = false;
  for (size_t t = 0; t < targets.size(); ++t) {
    Target& target = targets[t];
    const auto candidates = target.is_variable ? std::vector<AddressRange>() : intersection(target.untouched, read[t]);
    auto zeros = zero_blocks(cache, target, candidates);
    if (!zeros) return zeros.error();
    target.untouched = intersection(candidates, *zeros);
    if (target.untouched.empty()) continue;
    is_left = true;
    const uint64_t first = target.untouched.front().base;
    sink.emit({{"event", ReplayEvent::untouched_read},
               {target.kind(), target.name},
               {"offset", first},
               {"address", to_hex_number(target.address + first)},
               {"bytes", total_bytes(target.untouched)}});
  }
  return is_left;
}

Status disturb_untouched(Memory& memory, ContentCache& cache, const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    auto changed = change_untouched(
        memory, cache, target, [&](const auto& ranges, const AddressRange& span, Bytes app, std::span<uint8_t> actual) {
          disturb(target, ranges, span.base, app, actual);
        });
    if (!changed) return changed;
  }
  return Unit{};
}

Result<uint64_t> settle_untouched(Memory& memory, ContentCache& cache, const std::vector<Target>& targets,
                                  EventSink& sink) {
  uint64_t all = 0;
  Buffer expected;
  for (const Target& target : targets) {
    uint64_t bytes = 0, first = 0;
    auto changed = change_untouched(
        memory, cache, target, [&](const auto& ranges, const AddressRange& span, Bytes app, std::span<uint8_t> actual) {
          expected.assign(app.begin(), app.end());
          disturb(target, ranges, span.base, app, expected);
          for (const AddressRange& range : ranges) {
            const uint64_t at = range.base - span.base;
            if (std::memcmp(&actual[at], &expected[at], range.size) == 0) {
              std::memcpy(&actual[at], &app[at], range.size);
              continue;
            }
            for (uint64_t i = at; i < at + range.size; ++i) {
              if (actual[i] != expected[i] && bytes++ == 0) first = span.base + i;
            }
            std::memcpy(&actual[at], &app[at], range.size);
          }
        });
    if (!changed) return changed.error();
    if (bytes > 0)
      sink.emit({{"event", ReplayEvent::stray}, {target.kind(), target.name}, {"offset", first}, {"bytes", bytes}});
    all += bytes;
  }
  return all;
}

}  // namespace kernloop::replay
