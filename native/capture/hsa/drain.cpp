#include "capture/hsa/drain.h"

#include <string>
#include <thread>

namespace kernloop::capture {
namespace {

constexpr uint64_t kMarker = 0x6b65726e6c6f6f70ull;  // in a field that the packet processor ignores
constexpr uint16_t kBarrierHeader = HSA_PACKET_TYPE_BARRIER_AND | (1 << HSA_PACKET_HEADER_BARRIER) |
                                    (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) |
                                    (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);

hsa_barrier_and_packet_t barrier(hsa_signal_t completion) {
  hsa_barrier_and_packet_t packet{};
  packet.header = kBarrierHeader;
  packet.completion_signal = completion;
  return packet;
}

Error no_signal() {
  return {"NO_SIGNAL", "the runtime has no signal left for draining the queues",
          "close other programs that use this device"};
}

}  // namespace

void Drainer::begin() {
  used_.store(true, std::memory_order_relaxed);
  draining_.store(true, std::memory_order_seq_cst);
}

bool Drainer::inject(QueueState& queue, PacketWriter write) {
  if (!queue.drain_signal) queue.drain_signal = OwnSignal::create(hsa_, 1);
  if (!queue.drain_signal) return false;
  const hsa_barrier_and_packet_t packet = barrier(queue.drain_signal.get());
  queue.drain_injected = true;
  write(&packet, 1);
  return true;
}

void Drainer::on_held(QueueState& queue, PacketWriter write) {
  std::lock_guard lock(queue.drain_mutex);
  if (!draining_.load(std::memory_order_seq_cst) || queue.drain_injected) return;
  inject(queue, write);
}

bool Drainer::take_marker(const void* raw, QueueState& queue, PacketWriter write) {
  hsa_barrier_and_packet_t packet;
  std::memcpy(&packet, raw, sizeof packet);
  if ((packet.header & 0xff) != HSA_PACKET_TYPE_BARRIER_AND || packet.reserved2 != kMarker) return false;
  std::lock_guard lock(queue.drain_mutex);
  // Too late, or the handler put its own barrier in already: the marker goes nowhere.
  if (!draining_.load(std::memory_order_seq_cst) || queue.drain_injected ||
      packet.completion_signal.handle != queue.drain_signal.get().handle) {
    return true;
  }
  inject(queue, write);
  return true;
}

void Drainer::add_tail_barrier(QueueState& queue, PacketWriter write) {
  if (!queue.tail_signal) return;
  hsa_.core.hsa_signal_add_relaxed_fn(queue.tail_signal.get(), 1);
  const hsa_barrier_and_packet_t packet = barrier(queue.tail_signal.get());
  write(&packet, 1);
}

// As an app would: reserve a slot, fill it, publish its header, ring the doorbell. A slot is only reserved when there
// is room for it, because a reserved slot must be filled whatever happens; a handler that is held leaves a barrier
// itself and makes this one needless.
void Drainer::put_marker(QueueState& queue, hsa_signal_t signal) {
  hsa_queue_t* ring = queue.queue;
  const auto needless = [&] {
    if (!draining_.load(std::memory_order_seq_cst) || queue.failed.load()) return true;
    std::lock_guard lock(queue.drain_mutex);
    return queue.drain_injected;
  };
  const auto used = [&] {
    return hsa_.core.hsa_queue_load_write_index_relaxed_fn(ring) -
           hsa_.core.hsa_queue_load_read_index_scacquire_fn(ring);
  };
  while (used() + 1 >= ring->size) {
    if (needless()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const uint64_t index = hsa_.core.hsa_queue_add_write_index_scacq_screl_fn(ring, 1);
  while (index - hsa_.core.hsa_queue_load_read_index_scacquire_fn(ring) >= ring->size) {
    if (queue.failed.load()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  auto* slot = static_cast<hsa_barrier_and_packet_t*>(ring->base_address) + (index & (ring->size - 1));
  hsa_barrier_and_packet_t packet = barrier(signal);
  packet.reserved2 = kMarker;
  std::memcpy(reinterpret_cast<uint8_t*>(slot) + 4, reinterpret_cast<const uint8_t*>(&packet) + 4, sizeof packet - 4);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), static_cast<uint32_t>(packet.header), __ATOMIC_RELEASE);
  hsa_.core.hsa_signal_store_screlease_fn(ring->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

std::optional<Error> Drainer::wait(QueueState& own, PacketWriter write, Deadline deadline) {
  std::vector<QueueState*> waiting;
  for (QueueState* queue : queues_.alive()) {
    if (queue->failed.load()) continue;
    std::lock_guard lock(queue->drain_mutex);
    if (queue == &own) {
      if (!inject(*queue, write)) return no_signal();
      waiting.push_back(queue);
    } else if (queue->drain_injected) {
      waiting.push_back(queue);
    } else if (queue->submitted.load() != queue->drained_at && !queue->tail_signal) {
      if (!queue->drain_signal) queue->drain_signal = OwnSignal::create(hsa_, 1);
      if (!queue->drain_signal) return no_signal();
      std::thread(&Drainer::put_marker, this, std::ref(*queue), queue->drain_signal.get()).detach();
      waiting.push_back(queue);
    }
  }
  const auto refuse = [&](const std::string& what) {
    return Error{
        "DRAIN_LIMIT", what + " did not become idle within the drain limit",
        "a kernel that waits for another queue, for the host or for a collective cannot be captured in isolation; "
        "otherwise raise --drain-limit-ms"};
  };
  for (QueueState* queue : waiting) {
    const bool idle =
        wait_below_one(hsa_, queue->drain_signal.get(), deadline, [queue] { return queue->failed.load(); });
    if (!idle && !queue->failed.load()) return refuse("queue " + std::to_string(queue->index));
    queue->drained_at = queue->submitted.load();
  }
  for (QueueState* queue : queues_.alive()) {
    if (queue == &own || queue->failed.load() || !queue->tail_signal) continue;
    if (!wait_below_one(hsa_, queue->tail_signal.get(), deadline, [queue] { return queue->failed.load(); })) {
      return refuse("queue " + std::to_string(queue->index));
    }
  }
  if (!copies_.wait_all(deadline)) return refuse("an asynchronous copy");
  return std::nullopt;
}

void Drainer::end() {
  draining_.store(false, std::memory_order_seq_cst);
  for (QueueState* queue : queues_.alive()) {
    std::lock_guard lock(queue->drain_mutex);
    // A barrier that is still in the queue will write to its signal some day.
    if (queue->drain_signal && queue->drain_injected && queue->drain_signal.value() >= 1) queue->drain_signal.leak();
    queue->drain_signal = OwnSignal();
    queue->drain_injected = false;
  }
}

}  // namespace kernloop::capture
