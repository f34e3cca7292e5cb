#include "capture/hsa/plain_queue.h"

#include <cstring>
#include <thread>

#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

// A place in the ring once one is free: a place that is taken has to be filled.
bool take_place(const HsaOriginals& hsa, const hsa_queue_t* queue, Deadline deadline, uint64_t* place) {
  const CoreApiTable& core = hsa.core;
  while (true) {
    const uint64_t index = core.hsa_queue_load_write_index_scacquire_fn(queue);
    if (index - core.hsa_queue_load_read_index_scacquire_fn(queue) >= queue->size) {
      if (deadline.passed()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (core.hsa_queue_cas_write_index_scacq_screl_fn(queue, index, index + 1) == index) {
      *place = index;
      return true;
    }
  }
}

// A place in a plain queue is taken outside of a hold only. A barrier of ours precedes it if the app does not say which
// place it wants, and if one is free at once.
template <bool Precede, auto Slot, typename Signature>
struct TakesPlace;

template <bool Precede, auto Slot, typename Result, typename... Indices>
struct TakesPlace<Precede, Slot, Result(const hsa_queue_t*, Indices...)> {
  static Result call(const hsa_queue_t* queue, Indices... indices) {
    Agent* agent = active_agent();
    QueueState* const plain =
        agent != nullptr && agent->selections.anything_left() ? agent->queues.find_plain(queue) : nullptr;
    if (plain == nullptr) return (originals().core.*Slot)(queue, indices...);
    const HoldScope scope(agent->hold);
    if (Precede && plain->unfinished) {
      agent->guarded([&] { submit_barrier(agent->hsa, *plain, Deadline::in(std::chrono::milliseconds(0))); });
    }
    return (originals().core.*Slot)(queue, indices...);
  }
};

}  // namespace

void add_plain(Agent& agent, hsa_agent_t device, hsa_queue_t* queue) {
  if (QueueState* known = agent.queues.find(queue); known != nullptr && known->is_plain) {
    ++known->references;
    return;
  }
  QueueState& state = agent.queues.add();
  state.agent = &agent;
  state.device = device;
  state.queue = queue;
  state.is_plain = true;
  state.unfinished = OwnSignal::create(agent.hsa, 0);
  agent.queues.expect_plain();
  state.alive.store(true, std::memory_order_release);
}

bool submit_barrier(const HsaOriginals& hsa, QueueState& state, Deadline deadline) {
  uint64_t place = 0;
  const auto take = [&](uint64_t* result) {
    if (!take_place(hsa, state.queue, deadline, result)) return false;
    place = *result;
    hsa.core.hsa_signal_add_relaxed_fn(state.unfinished.get(), 1);
    return true;
  };
  if (!state.barriers.add(take)) return false;
  state.barriers.keep_last(static_cast<uint64_t>(state.unfinished.value()));
  const AqlPacket packet = barrier_packet(state.unfinished.get());
  char* const slot = static_cast<char*>(state.queue->base_address) + place % state.queue->size * sizeof packet;
  constexpr size_t kHeaderBytes = sizeof packet.header;
  std::memcpy(slot + kHeaderBytes, reinterpret_cast<const char*>(&packet) + kHeaderBytes, sizeof packet - kHeaderBytes);
  __atomic_store_n(reinterpret_cast<uint16_t*>(slot), packet.header, __ATOMIC_RELEASE);
  hsa.core.hsa_signal_store_screlease_fn(state.queue->doorbell_signal, static_cast<hsa_signal_value_t>(place));
  return true;
}

#define KERNLOOP_HOLD_PLACE(precede, name) \
  hook(core.version, core.name##_fn,       \
       &TakesPlace<precede, &CoreApiTable::name##_fn, std::remove_pointer_t<decltype(CoreApiTable::name##_fn)>>::call)

void install_index_hooks(HsaApiTable& table) {
  CoreApiTable& core = *table.core_;
  KERNLOOP_HOLD_PLACE(false, hsa_queue_store_write_index_relaxed);
  KERNLOOP_HOLD_PLACE(false, hsa_queue_store_write_index_screlease);
  KERNLOOP_HOLD_PLACE(false, hsa_queue_cas_write_index_scacq_screl);
  KERNLOOP_HOLD_PLACE(false, hsa_queue_cas_write_index_scacquire);
  KERNLOOP_HOLD_PLACE(false, hsa_queue_cas_write_index_relaxed);
  KERNLOOP_HOLD_PLACE(false, hsa_queue_cas_write_index_screlease);
  KERNLOOP_HOLD_PLACE(true, hsa_queue_add_write_index_scacq_screl);
  KERNLOOP_HOLD_PLACE(true, hsa_queue_add_write_index_scacquire);
  KERNLOOP_HOLD_PLACE(true, hsa_queue_add_write_index_relaxed);
  KERNLOOP_HOLD_PLACE(true, hsa_queue_add_write_index_screlease);
}

}  // namespace kernloop::capture
