// One intercepted queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "capture/hsa/queues/backlog.h"
#include "capture/hsa/queues/barrier_places.h"
#include "capture/hsa/queues/signal.h"

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

  // Left as the runtime made it (plain_queue.h), by so many calls that each returned this one.
  bool is_plain = false;
  uint32_t references = 1;

  std::atomic<bool> alive{false};
  std::atomic<bool> failed{false};         // the runtime reported an error: nothing in it completes any more
  std::atomic<uint64_t> fault_address{0};  // page of a memory fault on its device
  std::atomic<bool> profiling{false};      // the app's setting
  std::atomic<bool> capturing{false};      // one of its dispatches is being captured
  // Counts our barriers (drain.h, plain_queue.h) that have not completed in it yet. Empty if the runtime had no signal
  // left.
  OwnSignal unfinished;
  // Changes in its handler, inside of the gate, and is read while the app's calls are held.
  Backlog backlog;
  BarrierPlaces barriers;                 // of a plain queue
  std::atomic<uint64_t> handed_until{0};  // place in its ring of the first packet that is not handed on
};

class QueueList {
 public:
  QueueState& add();
  QueueState* find(const hsa_queue_t* queue);
  // Null if the queue is no plain one. Cheap while there is none.
  QueueState* find_plain(const hsa_queue_t* queue);
  void expect_plain() { has_plain_.store(true); }
  // Queues alive now. States are never freed: a late callback may still hold one.
  std::vector<QueueState*> alive();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<QueueState>> queues_;
  std::atomic<bool> has_plain_{false};
};

}  // namespace kernloop::capture
