#include "capture/core/selection.h"

namespace kernloop::capture {

void SelectionSet::configure(std::vector<SelectionRequest> requests) {
  std::lock_guard lock(mutex_);
  requests_ = std::move(requests);
  states_.assign(requests_.size(), State{});
  for (size_t i = 0; i < requests_.size(); ++i) states_[i].due_at = requests_[i].ordinal;
  left_.store(static_cast<uint32_t>(requests_.size()), std::memory_order_relaxed);
}

std::vector<Due> SelectionSet::on_dispatch(uint64_t selections) {
  std::vector<Due> due;
  std::lock_guard lock(mutex_);
  for (; selections != 0; selections &= selections - 1) {
    const auto index = static_cast<uint32_t>(__builtin_ctzll(selections));
    if (index >= states_.size()) break;
    State& state = states_[index];
    ++state.matches;
    // At or past it: another thread's match may have slipped by while an attempt was in progress.
    if (state.done || state.in_progress || state.matches < state.due_at) continue;
    state.in_progress = true;
    due.push_back({index, state.matches, state.widened});
  }
  return due;
}

void SelectionSet::settle_defer(uint32_t selection) {
  std::lock_guard lock(mutex_);
  states_[selection].in_progress = false;
}

void SelectionSet::settle_done(uint32_t selection) {
  std::lock_guard lock(mutex_);
  State& state = states_[selection];
  state.in_progress = false;
  if (state.done) return;
  state.done = true;
  left_.fetch_sub(1, std::memory_order_relaxed);
}

bool SelectionSet::settle_widen(uint32_t selection, const std::vector<ByteRange>& regions) {
  {
    std::lock_guard lock(mutex_);
    State& state = states_[selection];
    if (++state.widenings <= kMaxWidenings) {
      state.in_progress = false;
      state.widened.insert(state.widened.end(), regions.begin(), regions.end());
      return true;
    }
  }
  settle_done(selection);
  return false;
}

}  // namespace kernloop::capture
