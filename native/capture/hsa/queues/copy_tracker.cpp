#include "capture/hsa/queues/copy_tracker.h"

#include <algorithm>

namespace kernloop::capture {

void CopyTracker::sweep() {
  std::erase_if(entries_, [this](const auto& entry) {
    return hsa_.core.hsa_signal_load_scacquire_fn(hsa_signal_t{entry.first}) <= entry.second.done_at;
  });
  count_.store(entries_.size(), std::memory_order_relaxed);
}

void CopyTracker::comes(hsa_signal_t completion) {
  std::lock_guard lock(mutex_);
  coming_.push_back(completion);
}

void CopyTracker::started(hsa_signal_t completion, std::span<const hsa_signal_t> waits) {
  std::lock_guard lock(mutex_);
  const auto came = std::ranges::find(coming_, completion.handle, &hsa_signal_t::handle);
  if (came != coming_.end()) coming_.erase(came);
  if (completion.handle != 0) expect_decrement(completion).waits.emplace_back(waits.begin(), waits.end());
}

// A signal of 1 is that of one operation.
void CopyTracker::shared_by_packet(hsa_signal_t completion) {
  if (completion.handle == 0 || hsa_.core.hsa_signal_load_relaxed_fn(completion) <= 1) return;
  std::lock_guard lock(mutex_);
  expect_decrement(completion);
}

CopyTracker::Entry& CopyTracker::expect_decrement(hsa_signal_t completion) {
  if (entries_.size() >= 64) sweep();
  const hsa_signal_value_t now = hsa_.core.hsa_signal_load_scacquire_fn(completion);
  auto [entry, is_new] = entries_.try_emplace(completion.handle, Entry{now - 1, {}});
  auto& [done_at, all_waits] = entry->second;
  // Still in flight: the two share the signal, and each takes one from it.
  if (!is_new) {
    if (now <= done_at) all_waits.clear();
    done_at = now > done_at ? done_at - 1 : now - 1;
  }
  count_.store(entries_.size(), std::memory_order_relaxed);
  return entry->second;
}

void CopyTracker::failed_to_start(hsa_signal_t completion) {
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(completion.handle);
  if (entry != entries_.end()) ++entry->second.done_at;
}

void CopyTracker::forget(hsa_signal_t signal) {
  std::lock_guard lock(mutex_);
  entries_.erase(signal.handle);
  count_.store(entries_.size(), std::memory_order_relaxed);
}

void CopyTracker::shift(hsa_signal_t signal, uint64_t by) {
  std::lock_guard lock(mutex_);
  const auto entry = entries_.find(signal.handle);
  if (entry == entries_.end()) return;
  hsa_signal_value_t& done_at = entry->second.done_at;
  done_at = static_cast<hsa_signal_value_t>(static_cast<uint64_t>(done_at) + by);
}

std::vector<CopyInFlight> CopyTracker::in_flight() {
  std::lock_guard lock(mutex_);
  sweep();
  std::vector<CopyInFlight> all;
  for (const auto& [signal, entry] : entries_) all.push_back({hsa_signal_t{signal}, entry.waits});
  return all;
}

std::vector<hsa_signal_t> CopyTracker::coming() {
  std::lock_guard lock(mutex_);
  return coming_;
}

}  // namespace kernloop::capture
