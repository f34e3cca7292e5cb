#include "replay/core/differences.h"

namespace kernloop::replay {

uint64_t count_differences(Bytes expected, Bytes actual) {
  uint64_t count = 0;
  for_each_difference(expected, actual, [&](size_t, size_t size) { count += size; });
  return count;
}

void DifferenceCollector::compare(uint64_t offset, Bytes expected, Bytes actual) {
  constexpr size_t kShown = 16;
  for_each_difference(expected, actual, [&](size_t at, size_t size) {
    const uint64_t begin = offset + at;
    differing_bytes_ += size;
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
    Difference difference{begin, size, size, {}, {}};
    difference.first_expected.assign(expected.begin() + at, expected.begin() + at + shown);
    difference.first_actual.assign(actual.begin() + at, actual.begin() + at + shown);
    listed_.push_back(std::move(difference));
  });
}

}  // namespace kernloop::replay
