#include "softgpu/engine/wave/race_shadow.h"

namespace kernloop::softgpu {

RaceCell* RaceShadow::find(uint64_t number) {
  const auto known = index_.find(number);
  if (known != index_.end()) return pages_[known->second]->data();
  size_t at = pages_.size();
  if (at < kMostPages) {
    pages_.push_back(std::make_unique<Cells>());
    numbers_.push_back(number);
  } else {
    at = oldest_;
    oldest_ = (oldest_ + 1) % kMostPages;
    Entry& entry = recent_[numbers_[at] % recent_.size()];
    if (entry.number == numbers_[at]) entry = {};
    index_.erase(numbers_[at]);
    pages_[at]->fill({});
    numbers_[at] = number;
  }
  index_[number] = at;
  return pages_[at]->data();
}

}  // namespace kernloop::softgpu
