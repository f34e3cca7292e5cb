#include "softgpu/engine/adverse_order.h"

#include <utility>

namespace kernloop::softgpu {

void AdverseOrder::add(WaveSlot& wave) {
  Entry entry{&wave, 0, false, happens(6)};
  if (!entry.runs_on && happens(6)) entry.held_until = turn_ + hold_for(16, 9);
  waves_.push_back(entry);
}

size_t AdverseOrder::choose() {
  // Nobody may wait for ever for one that only seems to wait.
  const size_t first = draw() % waves_.size();
  if (happens(32)) return first;
  size_t held = waves_.size();
  for (size_t k = 0; k < waves_.size(); ++k) {
    const size_t at = first + k < waves_.size() ? first + k : first + k - waves_.size();
    if (waves_[at].waits) continue;
    if (waves_[at].held_until <= turn_) return at;
    if (held == waves_.size() || waves_[at].held_until < waves_[held].held_until) held = at;
  }
  return held < waves_.size() ? held : first;
}

AdverseOrder::Turn AdverseOrder::next() {
  ++turn_;
  const size_t at = choose();
  current_ = waves_[at];
  waves_[at] = waves_.back();
  waves_.pop_back();
  waiting_ = current_.waits ? waiting_ + 1 : 0;
  const uint64_t drawn = draw();
  const auto accesses = current_.runs_on ? 64u : drawn & 1 ? 1u : 1u + static_cast<uint32_t>(drawn >> 1 & 7);
  return {current_.wave, accesses};
}

void AdverseOrder::take_back(WaveSlot& wave, bool waits) {
  Entry entry = std::exchange(current_, {});
  entry.wave = &wave;
  entry.waits = waits;
  entry.held_until = 0;
  if (wave.met_another ? !happens(4) : happens(wave.is_narrow ? 3 : 8)) {
    entry.held_until = turn_ + hold_for(4, 9);
    entry.runs_on = false;
  }
  waves_.push_back(entry);
}

}  // namespace kernloop::softgpu
