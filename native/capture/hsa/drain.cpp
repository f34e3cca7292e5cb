#include "capture/hsa/drain.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <utility>

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
  queue.backlog.keep_last(static_cast<uint64_t>(queue.unfinished.value()));
  // A second piece comes from runtimes alone whose writer may be called again.
  std::array<AqlPacket, 16> piece;
  size_t filled = 0;
  const auto add_ours = [&] {
    piece[filled++] = barrier_packet(queue.unfinished.get());
    hsa_.core.hsa_signal_add_relaxed_fn(queue.unfinished.get(), 1);
    queue.backlog.add_ours();
  };
  for (uint64_t i = 0; i < count; ++i) {
    if (filled + 3 > piece.size()) write(piece.data(), std::exchange(filled, 0));
    // Not all of a vendor's packets have a signal.
    if (packet_type(packets[i]) != HSA_PACKET_TYPE_VENDOR_SPECIFIC)
      copies_.shared_by_packet(completion_signal_of(packets[i]));
    if (queue.backlog.needs_barrier_before(packets[i])) add_ours();
    queue.backlog.add(packets[i]);
    piece[filled++] = packets[i];
    if (waits_for_signals(packets[i])) add_ours();
  }
  if (!queue.backlog.is_part_empty()) add_ours();
  write(piece.data(), filled);
}

HeldBack Drainer::held_back(const std::vector<QueueState*>& queues) const {
  HeldBack held(hsa_);
  for (const QueueState* queue : queues) {
    if (!queue->is_plain) held.add_ring_of(*queue);
  }
  for (const hsa_signal_t signal : copies_.coming()) held.add(signal);
  return held;
}

std::optional<Error> Drainer::wait(const QueueState& of_dispatch, Deadline deadline, LeftWaiting& left) {
  const auto refuse = [&](const std::string& what) {
    return Error{
        "DRAIN_LIMIT", what + " did not become idle within the drain limit",
        "a kernel that waits for another queue, for the host or for a collective cannot be captured in isolation, nor "
        "can a launch within a lock that another thread needs before its work can end: launch outside of the lock; "
        "otherwise raise --drain-limit-ms"};
  };
  const std::vector<QueueState*> all = queues_.alive();
  for (QueueState* queue : all) {
    if (queue->failed.load()) continue;
    if (!queue->unfinished) {
      return Error{"NO_SIGNAL", "the runtime had no signal left for queue " + std::to_string(queue->index),
                   "close other programs that use this device"};
    }
    if (queue->is_plain && !submit_barrier(hsa_, *queue, deadline))
      return refuse("queue " + std::to_string(queue->index));
  }
  // An idle queue stays idle, and one that waits for the end of the hold goes on waiting.
  while (true) {
    std::vector<QueueState*> busy;
    std::map<const QueueState*, hsa_signal_value_t> seen;
    for (QueueState* queue : all) {
      if (queue->failed.load()) continue;
      const hsa_signal_value_t unfinished = queue->unfinished.value();
      if (unfinished < 1) continue;
      queue->backlog.keep_last(static_cast<uint64_t>(unfinished));
      queue->barriers.keep_last(static_cast<uint64_t>(unfinished));
      busy.push_back(queue);
      seen[queue] = unfinished;
    }
    std::vector<CopyInFlight> copies = copies_.in_flight();
    if (busy.empty() && copies.empty()) return std::nullopt;
    const std::vector<CopyInFlight> copies_seen = copies;
    if (!seen.contains(&of_dispatch)) held_back(all).erase_waiting(busy, copies);
    if (busy.empty() && copies.empty()) {
      for (const auto& [queue, unfinished] : seen) left.add(*queue, unfinished);
      for (const CopyInFlight& copy : copies_seen) left.add(copy);
      return std::nullopt;
    }
    if (deadline.passed())
      return refuse(busy.empty() ? "an asynchronous copy" : "queue " + std::to_string(busy.front()->index));
    if (busy.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else {
      const QueueState* first = busy.front();
      wait_below_one(hsa_, first->unfinished.get(), std::min(deadline, Deadline::in(std::chrono::milliseconds(10))),
                     [first] { return first->failed.load(); });
    }
  }
}

}  // namespace kernloop::capture
