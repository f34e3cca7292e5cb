#include "capture/hsa/queues/queue_state.h"

namespace kernloop::capture {

QueueState& QueueList::add() {
  std::lock_guard lock(mutex_);
  queues_.push_back(std::make_unique<QueueState>());
  queues_.back()->index = static_cast<uint32_t>(queues_.size() - 1);
  return *queues_.back();
}

QueueState* QueueList::find(const hsa_queue_t* queue) {
  std::lock_guard lock(mutex_);
  for (auto& state : queues_) {
    if (state->queue == queue && state->alive.load(std::memory_order_acquire)) return state.get();
  }
  return nullptr;
}

QueueState* QueueList::find_plain(const hsa_queue_t* queue) {
  if (!has_plain_.load(std::memory_order_relaxed)) return nullptr;
  QueueState* state = find(queue);
  return state != nullptr && state->is_plain ? state : nullptr;
}

std::vector<QueueState*> QueueList::alive() {
  std::lock_guard lock(mutex_);
  std::vector<QueueState*> result;
  for (auto& state : queues_) {
    if (state->alive.load(std::memory_order_acquire)) result.push_back(state.get());
  }
  return result;
}

}  // namespace kernloop::capture
