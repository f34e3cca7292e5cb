#include "capture/hsa/queues/held_back.h"

#include <algorithm>
#include <cstring>

namespace kernloop::capture {
namespace {

bool is_met(const hsa_amd_barrier_value_packet_t& barrier, hsa_signal_value_t value) {
  const hsa_signal_value_t seen = value & barrier.mask;
  switch (barrier.cond) {
    case HSA_SIGNAL_CONDITION_EQ:
      return seen == barrier.value;
    case HSA_SIGNAL_CONDITION_NE:
      return seen != barrier.value;
    case HSA_SIGNAL_CONDITION_LT:
      return seen < barrier.value;
    default:
      return seen >= barrier.value;
  }
}

}  // namespace

void HeldBack::add(hsa_signal_t signal) {
  if (signal.handle != 0) signals_.insert(signal.handle);
}

void HeldBack::add_ring_of(const QueueState& queue) {
  const auto* ring = static_cast<const AqlPacket*>(queue.queue->base_address);
  const uint64_t begin = queue.handed_until.load(), end = begin + queue.queue->size;
  for (uint64_t i = begin; i < end; ++i) {
    const AqlPacket& packet = ring[i % queue.queue->size];
    if (packet_type(packet) == HSA_PACKET_TYPE_INVALID) return;
    add(completion_signal_of(packet));
  }
}

void HeldBack::erase_waiting(std::vector<QueueState*>& queues, std::vector<CopyInFlight>& copies) {
  size_t before = 0;
  do {
    before = queues.size() + copies.size();
    std::erase_if(queues,
                  [this](const QueueState* queue) { return queue->is_plain ? takes_plain(*queue) : takes(*queue); });
    std::erase_if(copies, [this](const CopyInFlight& copy) {
      if (!keeps_back(copy)) return false;
      add(copy.completion);
      return true;
    });
  } while (queues.size() + copies.size() < before);
}

// The value is asked for, too: a signal may be one that was complete and is used again.
bool HeldBack::is_closed(hsa_signal_t signal) const {
  return has(signal) && hsa_.core.hsa_signal_load_scacquire_fn(signal) != 0;
}

bool HeldBack::keeps_back(const AqlPacket& packet) const {
  if (packet_type(packet) == HSA_PACKET_TYPE_VENDOR_SPECIFIC) {
    hsa_amd_barrier_value_packet_t barrier;
    std::memcpy(&barrier, &packet, sizeof barrier);
    return has(barrier.signal) && !is_met(barrier, hsa_.core.hsa_signal_load_scacquire_fn(barrier.signal));
  }
  hsa_barrier_and_packet_t barrier;
  std::memcpy(&barrier, &packet, sizeof barrier);
  const auto is_closed = [this](hsa_signal_t signal) { return this->is_closed(signal); };
  const auto opens = [&](hsa_signal_t signal) { return signal.handle != 0 && !is_closed(signal); };
  return packet_type(packet) == HSA_PACKET_TYPE_BARRIER_AND ? std::ranges::any_of(barrier.dep_signal, is_closed)
                                                            : std::ranges::none_of(barrier.dep_signal, opens);
}

bool HeldBack::takes(const QueueState& queue) {
  const AqlPacket* waiting = queue.backlog.waiting();
  if (waiting == nullptr || !keeps_back(*waiting)) return false;
  queue.backlog.for_each_completion_signal([this](hsa_signal_t signal) { add(signal); });
  return true;
}

bool HeldBack::takes_plain(const QueueState& queue) {
  const std::vector<AqlPacket> packets = queue.barriers.waiting(*queue.queue);
  if (packets.empty() || !keeps_back(packets.front())) return false;
  for (const AqlPacket& packet : packets) add(completion_signal_of(packet));
  return true;
}

// Several copies may share a signal.
bool HeldBack::keeps_back(const CopyInFlight& copy) const {
  return !copy.waits.empty() && std::ranges::all_of(copy.waits, [this](const std::vector<hsa_signal_t>& signals) {
    return std::ranges::any_of(signals, [this](hsa_signal_t signal) { return is_closed(signal); });
  });
}

}  // namespace kernloop::capture
