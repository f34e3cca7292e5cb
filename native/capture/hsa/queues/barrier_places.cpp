#include "capture/hsa/queues/barrier_places.h"

namespace kernloop::capture {

void BarrierPlaces::keep_last(uint64_t unfinished) {
  const std::lock_guard lock(mutex_);
  is_first_complete_ = places_.size() > unfinished;
  while (places_.size() > unfinished + 1) places_.pop_front();
}

std::vector<AqlPacket> BarrierPlaces::waiting(const hsa_queue_t& queue) const {
  const std::lock_guard lock(mutex_);
  if (!is_first_complete_ || places_.size() < 2 || places_[1] != places_[0] + 2) return {};
  const auto* ring = static_cast<const AqlPacket*>(queue.base_address);
  std::vector<AqlPacket> packets;
  for (uint64_t place = places_[0] + 1; place < places_.back(); ++place) {
    const AqlPacket& packet = ring[place % queue.size];
    if (packet_type(packet) == HSA_PACKET_TYPE_INVALID) break;
    packets.push_back(packet);
    if (!waits_for_signals(packets.front())) return {};
  }
  return packets;
}

}  // namespace kernloop::capture
