#include "softgpu/engine/observe/access_recorder.h"

#include <algorithm>
#include <map>

#include "softgpu/engine/wave/permutation.h"

namespace kernloop::softgpu {

AccessRecorder::Page& AccessRecorder::page(uint64_t number) {
  if (number != last_number_ || !last_page_) {
    auto& slot = pages_[number];
    if (!slot) slot = std::make_unique<Page>();
    last_page_ = slot.get();
    last_number_ = number;
  }
  return *last_page_;
}

void AccessRecorder::mark(uint64_t address, uint64_t bytes, Bitmap Page::*which) {
  while (bytes > 0) {
    const uint64_t offset = address % kPageBytes;
    Bitmap& bits = page(address / kPageBytes).*which;
    const uint64_t bit = offset % 64;
    const uint64_t count = std::min<uint64_t>(bytes, 64 - bit);
    const uint64_t mask = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    bits[offset / 64] |= mask << bit;
    address += count;
    bytes -= count;
  }
}

void AccessRecorder::count(uint64_t address, uint64_t bytes, unsigned lane, bool is_write) {
  const uint64_t who = mix(mix(wave_) ^ lane << 1 ^ static_cast<unsigned>(is_write));
  page(address / kPageBytes).by_lane += mix(mix(who ^ address) ^ bytes);
}

namespace {

void append(std::vector<AddressRange>& ranges, uint64_t base, uint64_t size) {
  if (!ranges.empty() && ranges.back().base + ranges.back().size == base) {
    ranges.back().size += size;
  } else {
    ranges.push_back({base, size});
  }
}

void append_runs(std::vector<AddressRange>& ranges, uint64_t page_base, const uint64_t* bits, size_t words) {
  for (size_t w = 0; w < words; ++w) {
    uint64_t rest = bits[w];
    while (rest != 0) {
      const unsigned start = __builtin_ctzll(rest);
      const uint64_t inverted = ~(rest >> start);
      const unsigned run = inverted == 0 ? 64 : __builtin_ctzll(inverted);
      append(ranges, page_base + w * 64 + start, run);
      if (start + run >= 64) break;
      rest &= ~uint64_t{0} << (start + run);
    }
  }
}

}  // namespace

AccessSets AccessRecorder::merge(const std::vector<const AccessRecorder*>& recorders) {
  std::map<uint64_t, Page> merged;
  for (const AccessRecorder* recorder : recorders) {
    for (const auto& [number, page] : recorder->pages_) {
      Page& into = merged[number];
      for (size_t w = 0; w < std::size(into.read); ++w) {
        into.read[w] |= page->read[w];
        into.written[w] |= page->written[w];
      }
      into.by_lane += page->by_lane;
    }
  }
  AccessSets sets;
  for (const auto& [number, page] : merged) {
    append_runs(sets.reads, number * kPageBytes, page.read, std::size(page.read));
    append_runs(sets.writes, number * kPageBytes, page.written, std::size(page.written));
    sets.pages.push_back({number * kPageBytes, kPageBytes, page.by_lane});
  }
  return sets;
}

}  // namespace kernloop::softgpu
