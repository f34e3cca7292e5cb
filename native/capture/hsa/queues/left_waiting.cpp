#include "capture/hsa/queues/left_waiting.h"

#include <algorithm>
#include <utility>

namespace kernloop::capture {

void LeftWaiting::add(CopyInFlight copy) {
  const hsa_signal_value_t value = hsa_.core.hsa_signal_load_scacquire_fn(copy.completion);
  copies_.push_back({std::move(copy), value});
}

std::optional<std::string> LeftWaiting::gone_on() const {
  for (const Queue& queue : queues_) {
    if (!queue.state->failed.load() && queue.state->unfinished.value() != queue.unfinished)
      return "queue " + std::to_string(queue.state->index);
  }
  if (std::ranges::any_of(copies_, [this](const Copy& copy) { return has_gone_on(copy); }))
    return "an asynchronous copy";
  return std::nullopt;
}

// One that has begun may not have ended.
bool LeftWaiting::has_gone_on(const Copy& copy) const {
  const auto is_open = [this](hsa_signal_t signal) { return hsa_.core.hsa_signal_load_scacquire_fn(signal) == 0; };
  if (hsa_.core.hsa_signal_load_scacquire_fn(copy.copy.completion) != copy.value) return true;
  return std::ranges::any_of(
      copy.copy.waits, [&](const std::vector<hsa_signal_t>& signals) { return std::ranges::all_of(signals, is_open); });
}

}  // namespace kernloop::capture
