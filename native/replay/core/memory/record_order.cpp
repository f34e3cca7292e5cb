#include "replay/core/memory/record_order.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

namespace kernloop::replay {

namespace {

constexpr uint64_t kWindowRecords = uint64_t{1} << 20;

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The same on every machine.
uint64_t digest_of(std::span<const uint8_t> bytes) {
  uint64_t digest = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += sizeof digest) {
    uint64_t word = 0;
    std::memcpy(&word, &bytes[at], std::min(sizeof word, bytes.size() - at));
    digest = mixed(digest ^ word);
  }
  return digest;
}

// Sattolo's shuffle of numbers in order: one cycle, so that none stays.
void shuffle_all(std::span<uint32_t> numbers, uint64_t seed) {
  for (size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[mixed(seed ^ mixed(i)) % (i - 1)]);
}

// Fisher and Yates': any may stay.
void shuffle_any(std::span<uint32_t> numbers, uint64_t seed) {
  for (size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[mixed(seed ^ mixed(i)) % i]);
}

}  // namespace

RecordOrder::Division RecordOrder::division_of(const InputArray& array) const {
  const uint64_t most = std::max<uint64_t>(2, std::min(kWindowRecords, window_bytes_ / array.record_bytes));
  const uint64_t records = array.records();
  return {records, std::max<uint64_t>(1, (records + most - 1) / most)};
}

uint64_t RecordOrder::Division::window_of(uint64_t record) const {
  uint64_t window = record * windows / records;
  while (range_of(window).end <= record) ++window;
  return window;
}

Result<const RecordOrder::Window*> RecordOrder::load(const InputArray& array, const Target& target, uint64_t seed,
                                                     const Division& division, uint64_t number) {
  auto known = std::find_if(windows_.begin(), windows_.end(), [&](const Window& each) {
    return each.target == array.target && each.base == array.extent.base && each.number == number;
  });
  if (known == windows_.end()) {
    auto window = read(array, target, division.range_of(number));
    if (!window) return window.error();
    window->number = number;
    uint64_t bytes = window->bytes();
    windows_.remove_if([&](const Window& each) { return (bytes += each.bytes()) > window_bytes_; });
    known = windows_.insert(windows_.begin(), std::move(*window));
  }
  windows_.splice(windows_.begin(), windows_, known);
  if (known->seed != seed) shuffle(*known, seed);
  return &*known;
}

Result<RecordOrder::Window> RecordOrder::read(const InputArray& array, const Target& target, Range range) const {
  const uint64_t size = array.record_bytes;
  Window window = {array.target, array.extent.base, 0, range, Buffer((range.end - range.first) * size), {}, {}, size};
  window.order.resize(range.end - range.first);
  uint64_t before = 0;
  for (const AddressRange& part : array.parts) {
    const uint64_t count = part.size / size;
    const uint64_t from = std::max(range.first, before), to = std::min(range.end, before + count);
    if (from < to) {
      const std::span<uint8_t> into(&window.records[(from - range.first) * size], (to - from) * size);
      if (auto read = read_content(cache_, target.pre, part.base + (from - before) * size, into); !read)
        return read.error();
    }
    before += count;
  }
  return window;
}

void RecordOrder::shuffle(Window& window, uint64_t seed) const {
  const uint64_t own = mixed(seed ^ mixed(window.target) ^ mixed(~window.base) ^ mixed(~window.number));
  std::span<uint32_t> order = window.order;
  window.seed = seed;
  std::iota(order.begin(), order.end(), 0u);
  const uint64_t group = group_bytes_ / window.record_bytes;
  // The records behind the last full group are part of it, and stay in it: there may be only one.
  const uint64_t groups = group < kLeastGroup || order.size() < 3 * group ? 0 : order.size() / group - 1;
  std::vector<uint32_t> places(groups);
  std::iota(places.begin(), places.end(), 0u);
  shuffle_all(places, mixed(own));
  for (uint64_t g = 0; g < groups; ++g) {
    const std::span<uint32_t> part = order.subspan(g * group, group);
    std::iota(part.begin(), part.end(), static_cast<uint32_t>(places[g] * group));
    shuffle_any(part, mixed(own ^ mixed(g)));
  }
  shuffle_all(order.subspan(groups * group), own);
}

std::span<const uint8_t> RecordOrder::Window::captured(uint64_t record) const {
  return {&records[(record - range.first) * record_bytes], record_bytes};
}

std::span<const uint8_t> RecordOrder::Window::ordered(uint64_t record) const {
  return {&records[order[record - range.first] * record_bytes], record_bytes};
}

Status RecordOrder::put(const InputArray& array, const Target& target, uint64_t seed, uint64_t offset,
                        std::span<uint8_t> bytes) {
  const Division division = division_of(array);
  const uint64_t size = array.record_bytes, end = offset + bytes.size();
  uint64_t before = 0;
  for (const AddressRange& part : array.parts) {
    if (part.base >= end) break;
    const uint64_t first = before + (offset > part.base ? (offset - part.base) / size : 0);
    const uint64_t last = before + std::min(part.size / size, (end - part.base + size - 1) / size);
    for (uint64_t record = first; record < last;) {
      auto window = load(array, target, seed, division, division.window_of(record));
      if (!window) return window.error();
      for (const uint64_t behind = std::min(last, (*window)->range.end); record < behind; ++record) {
        const uint64_t at = part.base + (record - before) * size;
        // A record may begin in the chunk before, and end in the one behind.
        const uint64_t from = std::max(at, offset), to = std::min(at + size, end);
        std::memcpy(&bytes[from - offset], &(*window)->ordered(record)[from - at], to - from);
      }
    }
    before += part.size / size;
  }
  return Unit{};
}

Result<RecordOrder::Moved> RecordOrder::moved(const InputArray& array, const Target& target, uint64_t seed) {
  Moved all;
  const Division division = division_of(array);
  for (uint64_t number = 0; number < division.windows; ++number) {
    auto window = load(array, target, seed, division, number);
    if (!window) return window.error();
    const Range range = (*window)->range;
    for (uint64_t record = range.first; record < range.end; ++record) {
      const std::span<const uint8_t> now = (*window)->ordered(record);
      all.records += text_of(now) != text_of((*window)->captured(record));
      all.digest = mixed(all.digest ^ digest_of(now));
    }
  }
  return all;
}

}  // namespace kernloop::replay
