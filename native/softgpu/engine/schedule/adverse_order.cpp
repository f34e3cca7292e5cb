#include "softgpu/engine/schedule/adverse_order.h"

#include <algorithm>
#include <utility>

namespace kernloop::softgpu {

namespace {

constexpr uint64_t kBehindAll = uint64_t{1} << 62;  // among turns
constexpr size_t kMostLooks = 40;                   // looks of the waiting waves, for each wave that is kept

}  // namespace

void AdverseOrder::add(WaveSlot& wave) {
  Entry entry{&wave, 0, happens(6)};
  if (!entry.runs_on && happens(6)) entry.held_until = turn_ + hold();
  active_.push_back(entry);
}

AdverseOrder::Entry AdverseOrder::take(std::vector<Entry>& from, size_t at) {
  const Entry entry = from[at];
  from[at] = from.back();
  from.pop_back();
  return entry;
}

AdverseOrder::Entry AdverseOrder::choose_kept() {
  turns_of_waiting_ = 0;
  if (happens(8)) return take(kept_, draw() % kept_.size());
  const Entry last = kept_.back();
  kept_.pop_back();
  return last;
}

AdverseOrder::Entry AdverseOrder::choose() {
  turns_of_waiting_ = active_.empty() ? turns_of_waiting_ + 1 : 0;
  // Mostly once all waiting waves have looked twice; and now and then, as others may run for ever.
  const bool all_wait = active_.empty() && turns_of_waiting_ > std::min(2 * waiting_.size(), kMostLooks);
  if (!kept_.empty() && (all_wait || happens(512))) return choose_kept();
  // A wave that only seems to wait must not wait for ever.
  if (active_.empty() || (!waiting_.empty() && happens(32))) return take(waiting_, draw() % waiting_.size());
  const size_t first = draw() % active_.size();
  size_t soonest = first;
  for (size_t k = 0; k < active_.size(); ++k) {
    const size_t at = first + k < active_.size() ? first + k : first + k - active_.size();
    if (active_[at].held_until <= turn_) return take(active_, at);
    if (active_[at].held_until < active_[soonest].held_until) soonest = at;
  }
  return take(active_, soonest);
}

AdverseOrder::Turn AdverseOrder::next() {
  ++turn_;
  current_ = choose();
  const uint64_t drawn = draw();
  const auto accesses = current_.runs_on ? 64u : drawn & 1 ? 1u : 1u + static_cast<uint32_t>(drawn >> 1 & 7);
  return {current_.wave, accesses};
}

void AdverseOrder::take_back(WaveSlot& wave, bool waits, bool owes) {
  Entry entry = std::exchange(current_, {});
  entry.wave = &wave;
  entry.held_until = 0;
  if (wave.was_published && !waits && !happens(owes ? 4 : 2)) {
    entry.runs_on = false;
    kept_.push_back(entry);
    return;
  }
  // The wave may store a result where others have stored since: all of them go first. A ticket or a flag that it took
  // or set orders it after those before it.
  if (wave.read_shared && !wave.was_published && !waits) {
    entry.held_until = kBehindAll + turn_;
    entry.runs_on = false;
  } else if (happens(wave.met_another ? 2 : wave.is_narrow ? 3 : 12)) {
    entry.held_until = turn_ + hold();
    entry.runs_on = false;
  }
  (waits ? waiting_ : active_).push_back(entry);
}

}  // namespace kernloop::softgpu
