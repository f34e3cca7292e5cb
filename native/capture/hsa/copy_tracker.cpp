#include "capture/hsa/copy_tracker.h"

#include <thread>

namespace kernloop::capture {

void CopyTracker::sweep() {
  for (auto entry = done_at_.begin(); entry != done_at_.end();) {
    const bool done = hsa_.core.hsa_signal_load_scacquire_fn(hsa_signal_t{entry->first}) <= entry->second;
    entry = done ? done_at_.erase(entry) : std::next(entry);
  }
  count_.store(done_at_.size(), std::memory_order_relaxed);
}

void CopyTracker::started(hsa_signal_t completion) {
  if (completion.handle == 0) return;
  std::lock_guard lock(mutex_);
  if (done_at_.size() >= 64) sweep();
  const hsa_signal_value_t now = hsa_.core.hsa_signal_load_scacquire_fn(completion);
  auto [entry, is_new] = done_at_.try_emplace(completion.handle, now - 1);
  // Still in flight: the two copies share the signal, and each takes one from it.
  if (!is_new) entry->second = now > entry->second ? entry->second - 1 : now - 1;
  count_.store(done_at_.size(), std::memory_order_relaxed);
}

void CopyTracker::failed_to_start(hsa_signal_t completion) {
  std::lock_guard lock(mutex_);
  auto entry = done_at_.find(completion.handle);
  if (entry != done_at_.end()) ++entry->second;
}

void CopyTracker::forget(hsa_signal_t signal) {
  std::lock_guard lock(mutex_);
  done_at_.erase(signal.handle);
  count_.store(done_at_.size(), std::memory_order_relaxed);
}

bool CopyTracker::wait_all(Deadline deadline) {
  while (true) {
    {
      std::lock_guard lock(mutex_);
      sweep();
      if (done_at_.empty()) return true;
    }
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace kernloop::capture
