#include "softgpu/engine/schedule/helper_pool.h"

#include <chrono>
#include <system_error>

namespace kernloop::softgpu {

namespace {
constexpr size_t kMaxThreads = 256;
}

HelperPool::~HelperPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void HelperPool::submit(Job& job, unsigned helpers) {
  if (helpers == 0) return;
  {
    std::lock_guard lock(mutex_);
    for (unsigned k = 0; k < helpers; ++k) queue_.push_back(&job);
    try {
      while (idle_ < queue_.size() && threads_.size() < kMaxThreads) {
        threads_.emplace_back([this] { serve(); });
        ++idle_;
      }
    } catch (const std::system_error&) {
      // No more threads are available: the existing ones, and the caller, do the work.
    }
  }
  wanted_.notify_all();
}

void HelperPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    Job* job = queue_.front();
    queue_.pop_front();
    ++job->active;
    --idle_;
    lock.unlock();
    job->work();
    lock.lock();
    ++idle_;
    --job->active;
    left_.notify_all();
  }
}

void HelperPool::finish(Job& job, const std::function<void()>& while_waiting) {
  std::unique_lock lock(mutex_);
  std::erase(queue_, &job);
  while (job.active > 0) {
    left_.wait_for(lock, std::chrono::milliseconds(5));
    lock.unlock();
    while_waiting();
    lock.lock();
  }
}

}  // namespace kernloop::softgpu
