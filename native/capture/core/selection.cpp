#include "capture/core/selection.h"

#include <algorithm>
#include <utility>

namespace kernloop::capture {
namespace {

// One dispatch by its number. If it cannot be captured, any later match replaces it.
bool is_single(const SelectionRequest& request) {
  return request.each == Each::kDispatch && request.limit == 1 && request.ordinals.size() == 1 &&
         request.ordinals[0].first == request.ordinals[0].last;
}

// Leaves out the parts that the selection does not distinguish shapes by.
LaunchShape distinct_part(const SelectionRequest& request, const LaunchShape& shape) {
  if (request.each == Each::kGeometry) return shape;
  LaunchShape part;
  part.kernel = shape.kernel;
  return part;
}

template <typename Use>
void for_each_bit(uint64_t mask, size_t count, Use&& use) {
  for (; mask != 0; mask &= mask - 1) {
    const auto index = static_cast<uint32_t>(__builtin_ctzll(mask));
    if (index >= count) break;
    use(index);
  }
}

}  // namespace

void SelectionSet::configure(std::vector<SelectionRequest> requests, std::atomic<uint64_t>* matches) {
  std::lock_guard lock(mutex_);
  requests_ = std::move(requests);
  states_.assign(requests_.size(), State{});
  matches_ = matches;
  left_.store(static_cast<uint32_t>(requests_.size()), std::memory_order_relaxed);
}

std::vector<Due> SelectionSet::on_dispatch(const Candidate& candidate) {
  std::vector<Due> due;
  std::lock_guard lock(mutex_);
  for_each_bit(candidate.selections, states_.size(), [&](uint32_t index) {
    const SelectionRequest& request = requests_[index];
    State& state = states_[index];
    if (state.gates_seen < request.after) return;
    ++state.matches;
    if (matches_ != nullptr) matches_[index].store(state.matches, std::memory_order_relaxed);
    if (is_due(request, state, candidate.shape)) {
      ++state.in_progress;
      ++state.taken;
      if (request.each != Each::kDispatch) state.seen.insert(distinct_part(request, candidate.shape));
      due.push_back({index, state.matches, state.widened, candidate.shape});
    } else {
      end_if_exhausted(index);
    }
  });
  // A gate itself does not count; dispatches after it do.
  for_each_bit(candidate.gates, states_.size(), [&](uint32_t index) { ++states_[index].gates_seen; });
  return due;
}

bool SelectionSet::is_due(const SelectionRequest& request, const State& state, const LaunchShape& shape) const {
  if (state.done || state.taken >= request.limit) return false;
  // At or past it: another thread's match may have passed while an attempt was in progress.
  if (is_single(request)) return state.in_progress == 0 && state.matches >= request.ordinals[0].first;
  const bool asked = std::any_of(request.ordinals.begin(), request.ordinals.end(), [&](const OrdinalRange& range) {
    return range.first <= state.matches && state.matches <= range.last;
  });
  return asked && (request.each == Each::kDispatch || !state.seen.contains(distinct_part(request, shape)));
}

void SelectionSet::settle_defer(const Due& due) {
  std::lock_guard lock(mutex_);
  give_back(due);
  end_if_exhausted(due.selection);
}

void SelectionSet::settle_done(const Due& due) {
  std::lock_guard lock(mutex_);
  --states_[due.selection].in_progress;
  end_if_exhausted(due.selection);
}

bool SelectionSet::settle_widen(const Due& due, const std::vector<ByteRange>& regions) {
  {
    std::lock_guard lock(mutex_);
    State& state = states_[due.selection];
    if (++state.widenings <= kMaxWidenings) {
      state.widened.insert(state.widened.end(), regions.begin(), regions.end());
      give_back(due);
      end_if_exhausted(due.selection);
      return true;
    }
  }
  settle_done(due);
  return false;
}

void SelectionSet::give_back(const Due& due) {
  const SelectionRequest& request = requests_[due.selection];
  State& state = states_[due.selection];
  --state.in_progress;
  --state.taken;
  state.seen.erase(distinct_part(request, due.shape));
}

void SelectionSet::end_if_exhausted(uint32_t selection) {
  const SelectionRequest& request = requests_[selection];
  State& state = states_[selection];
  if (state.done || state.in_progress != 0) return;
  const bool passed =
      !is_single(request) && (request.ordinals.empty() || state.matches >= request.ordinals.back().last);
  if (state.taken < request.limit && !passed) return;
  if (request.to_end) return;
  state.done = true;
  left_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace kernloop::capture
