// One intercepted queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/hsa/signal.h"

namespace kernloop::capture {

class Agent;

using PacketWriter = hsa_amd_queue_intercept_packet_writer;
using QueueErrorCallback = void (*)(hsa_status_t, hsa_queue_t*, void*);

struct QueueState {
  Agent* agent = nullptr;
  uint32_t index = 0;
  hsa_agent_t device{};
  hsa_queue_t* queue = nullptr;
  QueueErrorCallback app_callback = nullptr;
  void* app_data = nullptr;

  std::atomic<bool> alive{false};
  std::atomic<bool> failed{false};     // the runtime reported an error: nothing in it completes any more
  std::atomic<bool> profiling{false};  // as the app asked
  std::atomic<bool> capturing{false};  // one of its dispatches is being captured
  std::atomic<uint64_t> submitted{0};  // batches handed on while there was something to capture

  // Draining, see drain.h.
  std::mutex drain_mutex;
  OwnSignal drain_signal;
  bool drain_injected = false;
  uint64_t drained_at = 0;  // `submitted` when it was last known to be idle

  // Single-producer queues, into which only the app may write: each batch is followed by a barrier that takes one from
  // this.
  OwnSignal tail_signal;
};

class QueueList {
 public:
  QueueState& add();
  QueueState* find(const hsa_queue_t* queue);
  // Those alive now. States are never freed: a late callback may still hold one.
  std::vector<QueueState*> alive();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<QueueState>> queues_;
};

}  // namespace kernloop::capture
