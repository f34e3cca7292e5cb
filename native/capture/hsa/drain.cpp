#include "capture/hsa/drain.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "capture/hsa/plain_queue.h"

namespace kernloop::capture {
namespace {

constexpr uint16_t kBarrierHeader = HSA_PACKET_TYPE_BARRIER_AND | (1 << HSA_PACKET_HEADER_BARRIER) |
                                    (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) |
                                    (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);

}  // namespace

AqlPacket barrier_packet(hsa_signal_t completion) {
  hsa_barrier_and_packet_t packet{};
  packet.header = kBarrierHeader;
  packet.completion_signal = completion;
  AqlPacket as_any;
  static_assert(sizeof packet == sizeof as_any);
  std::memcpy(&as_any, &packet, sizeof packet);
  return as_any;
}

void Drainer::hand_on(QueueState& queue, const AqlPacket* packets, uint64_t count, PacketWriter write) const {
  if (!queue.unfinished) return write(packets, count);
  // Longer batches come from runtimes whose writer may be called again.
  std::array<AqlPacket, 16> piece;
  if (count >= piece.size()) {
    const uint64_t before = count - (piece.size() - 1);
    write(packets, before);
    packets += before;
    count -= before;
  }
  std::copy_n(packets, count, piece.begin());
  piece[count] = barrier_packet(queue.unfinished.get());
  hsa_.core.hsa_signal_add_relaxed_fn(queue.unfinished.get(), 1);
  write(piece.data(), count + 1);
}

std::optional<Error> Drainer::wait(Deadline deadline) {
  const auto refuse = [&](const std::string& what) {
    return Error{
        "DRAIN_LIMIT", what + " did not become idle within the drain limit",
        "a kernel that waits for another queue, for the host or for a collective cannot be captured in isolation; "
        "otherwise raise --drain-limit-ms"};
  };
  for (QueueState* queue : queues_.alive()) {
    if (queue->failed.load()) continue;
    if (!queue->unfinished) {
      return Error{"NO_SIGNAL", "the runtime had no signal left for queue " + std::to_string(queue->index),
                   "close other programs that use this device"};
    }
    const bool is_full = queue->is_plain && !submit_barrier(hsa_, *queue, deadline);
    const bool idle =
        !is_full && wait_below_one(hsa_, queue->unfinished.get(), deadline, [queue] { return queue->failed.load(); });
    if (!idle && !queue->failed.load()) return refuse("queue " + std::to_string(queue->index));
  }
  if (!copies_.wait_all(deadline)) return refuse("an asynchronous copy");
  return std::nullopt;
}

}  // namespace kernloop::capture
