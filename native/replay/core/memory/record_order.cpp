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

// FNV-1a: the same on every machine.
uint64_t digest_of(std::span<const uint8_t> bytes) {
  uint64_t digest = 0xcbf29ce484222325;
  for (const uint8_t byte : bytes) digest = (digest ^ byte) * 0x100000001b3;
  return digest;
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

Status RecordOrder::load(const InputArray& array, const Target& target, uint64_t seed, const Division& division,
                         uint64_t window) {
  const Loaded wanted = {array.target, array.extent.base, seed, window};
  if (loaded_ == wanted) return Unit{};
  loaded_.reset();
  range_ = division.range_of(window);
  const uint64_t size = array.record_bytes;
  records_.resize((range_.end - range_.first) * size);
  uint64_t before = 0;
  for (const AddressRange& part : array.parts) {
    const uint64_t count = part.size / size;
    const uint64_t from = std::max(range_.first, before), to = std::min(range_.end, before + count);
    if (from < to) {
      const std::span<uint8_t> into(&records_[(from - range_.first) * size], (to - from) * size);
      if (auto read = read_content(cache_, target.pre, part.base + (from - before) * size, into); !read) return read;
    }
    before += count;
  }
  order_.resize(range_.end - range_.first);
  std::iota(order_.begin(), order_.end(), 0u);
  // Sattolo's shuffle: one cycle, so that no record stays.
  const uint64_t own = mixed(seed ^ mixed(array.target) ^ mixed(~array.extent.base) ^ mixed(~window));
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[mixed(own ^ mixed(i)) % (i - 1)]);
  loaded_ = wanted;
  return Unit{};
}

std::span<const uint8_t> RecordOrder::captured(const InputArray& array, uint64_t record) const {
  return {&records_[(record - range_.first) * array.record_bytes], array.record_bytes};
}

std::span<const uint8_t> RecordOrder::ordered(const InputArray& array, uint64_t record) const {
  return {&records_[order_[record - range_.first] * array.record_bytes], array.record_bytes};
}

Status RecordOrder::put(const InputArray& array, const Target& target, uint64_t seed, uint64_t offset,
                        std::span<uint8_t> bytes) {
  const Division division = division_of(array);
  const uint64_t size = array.record_bytes, end = offset + bytes.size();
  uint64_t before = 0;
  for (const AddressRange& part : array.parts) {
    if (part.base >= end) break;
    for (uint64_t r = offset > part.base ? (offset - part.base) / size : 0; r < part.size / size; ++r) {
      const uint64_t at = part.base + r * size;
      if (at >= end) break;
      if (auto loaded = load(array, target, seed, division, division.window_of(before + r)); !loaded) return loaded;
      const std::span<const uint8_t> record = ordered(array, before + r);
      // A record may begin in the chunk before, and end in the one behind.
      const uint64_t from = std::max(at, offset), to = std::min(at + size, end);
      std::memcpy(&bytes[from - offset], &record[from - at], to - from);
    }
    before += part.size / size;
  }
  return Unit{};
}

Result<RecordOrder::Moved> RecordOrder::moved(const InputArray& array, const Target& target, uint64_t seed) {
  Moved all;
  const Division division = division_of(array);
  for (uint64_t window = 0; window < division.windows; ++window) {
    if (auto loaded = load(array, target, seed, division, window); !loaded) return loaded.error();
    for (uint64_t record = range_.first; record < range_.end; ++record) {
      const std::span<const uint8_t> now = ordered(array, record);
      all.records += text_of(now) != text_of(captured(array, record));
      all.digest = mixed(all.digest ^ digest_of(now));
    }
  }
  return all;
}

}  // namespace kernloop::replay
