#include "softgpu/hsa/queues/copy_engine.h"

#include <algorithm>
#include <utility>

namespace kernloop::softgpu {

CopyEngine::CopyEngine(Signals& signals) : signals_(signals) {}

CopyEngine::~CopyEngine() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_ = true;
  }
  signals_.wake_all();
  if (thread_.joinable()) thread_.join();
}

void CopyEngine::submit(std::vector<hsa_signal_t> dependencies, std::function<void()> work, hsa_signal_t completion) {
  Job job{{}, std::move(work), completion};
  for (hsa_signal_t signal : dependencies) job.waiting_for.push_back({signal, HSA_SIGNAL_CONDITION_EQ, 0});
  std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::thread(&CopyEngine::run, this);
  changed_ = true;
  signals_.wake_all();
}

void CopyEngine::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    changed_ = false;
    // A dependency that has been 0 once is met, even if its owner uses the signal again.
    std::vector<WaitTarget> open;
    auto ready = jobs_.end();
    for (auto job = jobs_.begin(); job != jobs_.end() && ready == jobs_.end(); ++job) {
      std::erase_if(job->waiting_for, [&](const WaitTarget& target) { return signals_.load(target.signal) == 0; });
      if (job->waiting_for.empty()) ready = job;
      open.insert(open.end(), job->waiting_for.begin(), job->waiting_for.end());
    }
    if (ready == jobs_.end()) {
      lock.unlock();
      signals_.wait_any(open, kWaitForever, &changed_);
      lock.lock();
      continue;
    }
    Job job = std::move(*ready);
    jobs_.erase(ready);
    lock.unlock();
    const uint64_t start = now_ns();
    job.work();
    if (job.completion.handle != 0) signals_.complete(job.completion, start, now_ns());
    lock.lock();
  }
}

}  // namespace kernloop::softgpu
