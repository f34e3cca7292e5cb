#include "capture/core/hold.h"

namespace kernloop::capture {
namespace {

// The runtime may call back into intercepted functions: only the outermost call of a thread counts.
// One gate a process (tests with several use a thread each).
thread_local uint32_t depth = 0;

}  // namespace

bool HoldGate::try_enter() {
  if (depth > 0) {
    ++depth;
    return true;
  }
  inside_.fetch_add(1, std::memory_order_seq_cst);
  if (!held_.load(std::memory_order_seq_cst)) {
    depth = 1;
    return true;
  }
  {
    // Under the lock, so that hold() cannot miss the last one to step back.
    std::lock_guard lock(mutex_);
    inside_.fetch_sub(1, std::memory_order_seq_cst);
  }
  changed_.notify_all();
  return false;
}

void HoldGate::enter() {
  if (try_enter()) return;
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return !held_.load(std::memory_order_seq_cst); });
  --waiting_;
  inside_.fetch_add(1, std::memory_order_seq_cst);
  depth = 1;
  changed_.notify_all();
}

void HoldGate::leave() {
  if (--depth > 0) return;
  inside_.fetch_sub(1, std::memory_order_seq_cst);
  if (held_.load(std::memory_order_seq_cst)) {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
}

void HoldGate::take_turn() {
  std::unique_lock lock(mutex_);
  if (held_.load(std::memory_order_seq_cst)) {
    // Steps out meanwhile: otherwise the holder would wait for us.
    inside_.fetch_sub(1, std::memory_order_seq_cst);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_.load(std::memory_order_seq_cst); });
    inside_.fetch_add(1, std::memory_order_seq_cst);
  }
  held_.store(true, std::memory_order_seq_cst);
}

bool HoldGate::wait_alone(Deadline deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline.at(), [this] { return inside_.load(std::memory_order_seq_cst) == 1; });
}

void HoldGate::let_pass(Deadline deadline) {
  release();
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline.at(), [this] { return waiting_ == 0 || held_.load(std::memory_order_seq_cst); });
}

void HoldGate::release() {
  {
    std::lock_guard lock(mutex_);
    held_.store(false, std::memory_order_seq_cst);
  }
  changed_.notify_all();
}

}  // namespace kernloop::capture
