// Packets that a queue was handed and may not have completed. Barriers of ours (drain.h) end its parts, which complete
// in turn. A packet that waits for signals is a part of its own: so it is known which one a queue waits at, and when it
// has gone on.
#pragma once

#include <cstdint>
#include <deque>

#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

using AqlPacket = hsa_kernel_dispatch_packet_t;  // every AQL packet has its size
static_assert(sizeof(AqlPacket) == 64);

uint8_t packet_type(const AqlPacket& packet);
// For packets of every type.
hsa_signal_t completion_signal_of(const AqlPacket& packet);
bool waits_for_signals(const AqlPacket& packet);

class Backlog {
 public:
  // Whether a barrier of ours has to come first.
  bool needs_barrier_before(const AqlPacket& packet) const { return !is_part_empty_ && waits_for_signals(packet); }
  bool is_part_empty() const { return is_part_empty_; }
  void add(const AqlPacket& packet) noexcept;
  void add_ours() noexcept;
  // Forgets the parts that are complete: all but the last `unfinished`.
  void keep_last(uint64_t unfinished) noexcept;

  // The packet that waits for signals at the head of the queue, or null.
  const AqlPacket* waiting() const;
  template <typename Use>
  void for_each_completion_signal(Use&& use) const {
    for (const Entry& entry : entries_) use(completion_signal_of(entry.packet));
  }

 private:
  struct Entry {
    uint64_t part;
    AqlPacket packet;
  };
  std::deque<Entry> entries_;  // packets that wait for signals or complete some
  uint64_t parts_ = 0, first_ = 0;
  bool is_part_empty_ = true;
  bool is_incomplete_ = false;  // there was no memory for a packet
};

}  // namespace kernloop::capture
