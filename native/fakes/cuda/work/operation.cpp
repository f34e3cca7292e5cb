#include "fakes/cuda/work/operation.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace kernloop::cuda::fake {
namespace {

// One lock and one condition for all: any progress wakes all who wait.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
};

Progress& progress() {
  static Progress* const kProgress = new Progress;
  return *kProgress;
}

}  // namespace

uint64_t now_ns() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

bool is_done(const OperationPtr& operation) {
  return operation == nullptr || operation->done.load();
}

void wait_for(const OperationPtr& operation) {
  if (is_done(operation)) return;
  std::unique_lock lock(progress().mutex);
  progress().changed.wait(lock, [&] { return is_done(operation); });
}

void Worker::push(OperationPtr operation) {
  const std::lock_guard lock(progress().mutex);
  queue_.push_back(std::move(operation));
  if (!started_) std::thread([this] { run(); }).detach();
  started_ = true;
  progress().changed.notify_all();
}

void Worker::run() {
  for (;;) {
    OperationPtr operation;
    {
      std::unique_lock lock(progress().mutex);
      progress().changed.wait(lock, [&] { return !queue_.empty(); });
      operation = std::move(queue_.front());
      queue_.pop_front();
    }
    for (const OperationPtr& before : operation->after) wait_for(before);
    operation->after.clear();
    if (operation->work) operation->work();
    operation->work = nullptr;
    operation->end_ns = now_ns();
    {
      const std::lock_guard lock(progress().mutex);
      operation->done = true;
    }
    progress().changed.notify_all();
  }
}

}  // namespace kernloop::cuda::fake
