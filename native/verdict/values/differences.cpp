#include "verdict/values/differences.h"

namespace kernloop::replay {

uint64_t count_differences(Bytes expected, Bytes actual) {
  uint64_t count = 0;
  for_each_difference(expected, actual, [&](size_t, size_t size) { count += size; });
  return count;
}

DifferenceMap::DifferenceMap(uint64_t size) : size_(size), bin_bytes_(kLeastBytes) {
  while (size > bin_bytes_ * kMostBins) bin_bytes_ *= 2;
}

void DifferenceMap::add(uint64_t offset, uint64_t bytes) {
  const uint64_t end = std::min(offset + bytes, size_);
  if (offset >= end) return;
  if (bins_.empty()) bins_.resize((size_ + bin_bytes_ - 1) / bin_bytes_);
  while (offset < end) {
    const uint64_t bin = offset / bin_bytes_, next = std::min(end, (bin + 1) * bin_bytes_);
    bins_[bin] += next - offset;
    offset = next;
  }
}

void DifferenceMap::add(const DifferenceMap& other) {
  bins_.resize(std::max(bins_.size(), other.bins_.size()));
  for (size_t i = 0; i < other.bins_.size(); ++i) bins_[i] += other.bins_[i];
}

void DifferenceCollector::compare(uint64_t offset, Bytes expected, Bytes actual) {
  constexpr size_t kShown = 16;
  for_each_difference(expected, actual, [&](size_t at, size_t size) {
    const uint64_t begin = offset + at;
    differing_bytes_ += size;
    map_.add(begin, size);
    const bool joins = ranges_ > 0 && begin - last_end_ <= kMergeGap;
    last_end_ = begin + size;
    if (joins) {
      // Only the last range can grow, and only if it was listed.
      if (ranges_ == listed_.size()) {
        listed_.back().bytes = last_end_ - listed_.back().offset;
        listed_.back().differing_bytes += size;
      }
      return;
    }
    ++ranges_;
    if (listed_.size() == kListed) return;
    const size_t shown = std::min(kShown, expected.size() - at);
    Difference difference{begin, size, size, {}, {}, {}};
    const size_t lead = std::min<size_t>(begin % 8, at);
    difference.lead.assign(expected.begin() + (at - lead), expected.begin() + at);
    difference.first_expected.assign(expected.begin() + at, expected.begin() + at + shown);
    difference.first_actual.assign(actual.begin() + at, actual.begin() + at + shown);
    listed_.push_back(std::move(difference));
  });
}

}  // namespace kernloop::replay
