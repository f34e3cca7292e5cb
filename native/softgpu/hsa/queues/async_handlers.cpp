#include "softgpu/hsa/queues/async_handlers.h"

#include <algorithm>
#include <utility>

namespace kernloop::softgpu {

AsyncHandlers::AsyncHandlers(Signals& signals) : signals_(signals) {}

AsyncHandlers::~AsyncHandlers() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_ = true;
  }
  signals_.wake_all();
  if (thread_.joinable()) thread_.join();
}

void AsyncHandlers::start_and_kick() {
  if (!thread_.joinable()) thread_ = std::thread(&AsyncHandlers::run, this);
  changed_ = true;
  signals_.wake_all();
}

void AsyncHandlers::add(WaitTarget target, hsa_amd_signal_handler handler, void* argument) {
  std::lock_guard lock(mutex_);
  entries_.push_back({target, handler, argument});
  start_and_kick();
}

void AsyncHandlers::call(void (*function)(void*), void* argument) {
  std::lock_guard lock(mutex_);
  calls_.push_back({function, argument});
  start_and_kick();
}

void AsyncHandlers::forget(hsa_signal_t signal) {
  std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.target.signal.handle == signal.handle; });
}

void AsyncHandlers::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    changed_ = false;
    if (!calls_.empty()) {
      for (const Call& call : std::exchange(calls_, {})) {
        lock.unlock();
        call.function(call.argument);
        lock.lock();
      }
      continue;
    }
    std::vector<WaitTarget> targets;
    for (const Entry& entry : entries_) targets.push_back(entry.target);
    lock.unlock();
    auto satisfied = signals_.wait_any(targets, kWaitForever, &changed_);
    lock.lock();
    if (!satisfied) continue;
    // Entries may have come and gone meanwhile: find the satisfied one.
    const WaitTarget& target = targets[satisfied->index];
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.target.signal.handle == target.signal.handle && entry.target.condition == target.condition &&
             entry.target.value == target.value;
    });
    if (found == entries_.end()) continue;
    Entry entry = *found;
    entries_.erase(found);
    lock.unlock();
    const bool again = entry.handler(satisfied->value, entry.argument);
    lock.lock();
    if (again) entries_.push_back(entry);
  }
}

}  // namespace kernloop::softgpu
