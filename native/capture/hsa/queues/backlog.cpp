#include "capture/hsa/queues/backlog.h"

#include <cstddef>
#include <cstring>
#include <exception>

namespace kernloop::capture {
namespace {

constexpr size_t kCompletionAt = offsetof(AqlPacket, completion_signal);
static_assert(offsetof(hsa_barrier_and_packet_t, completion_signal) == kCompletionAt);
static_assert(offsetof(hsa_barrier_or_packet_t, completion_signal) == kCompletionAt);
static_assert(offsetof(hsa_agent_dispatch_packet_t, completion_signal) == kCompletionAt);
static_assert(offsetof(hsa_amd_barrier_value_packet_t, completion_signal) == kCompletionAt);

}  // namespace

uint8_t packet_type(const AqlPacket& packet) {
  return static_cast<uint8_t>(__atomic_load_n(&packet.header, __ATOMIC_ACQUIRE) >> HSA_PACKET_HEADER_TYPE);
}

hsa_signal_t completion_signal_of(const AqlPacket& packet) {
  return packet.completion_signal;
}

bool waits_for_signals(const AqlPacket& packet) {
  switch (packet_type(packet)) {
    case HSA_PACKET_TYPE_BARRIER_AND:
    case HSA_PACKET_TYPE_BARRIER_OR: {
      hsa_barrier_and_packet_t barrier;
      std::memcpy(&barrier, &packet, sizeof barrier);
      for (const hsa_signal_t signal : barrier.dep_signal) {
        if (signal.handle != 0) return true;
      }
      return false;
    }
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
      hsa_amd_barrier_value_packet_t barrier;
      std::memcpy(&barrier, &packet, sizeof barrier);
      return barrier.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE && barrier.signal.handle != 0;
    }
    default:
      return false;
  }
}

void Backlog::add(const AqlPacket& packet) noexcept {
  is_part_empty_ = false;
  if (completion_signal_of(packet).handle == 0 && !waits_for_signals(packet)) return;
  try {
    entries_.push_back({parts_, packet});
  } catch (const std::exception&) {
    is_incomplete_ = true;
  }
}

void Backlog::add_ours() noexcept {
  ++parts_;
  is_part_empty_ = true;
}

void Backlog::keep_last(uint64_t unfinished) noexcept {
  first_ = unfinished < parts_ ? parts_ - unfinished : 0;
  while (!entries_.empty() && entries_.front().part < first_) entries_.pop_front();
}

const AqlPacket* Backlog::waiting() const {
  if (is_incomplete_ || entries_.empty() || entries_.front().part != first_) return nullptr;
  return waits_for_signals(entries_.front().packet) ? &entries_.front().packet : nullptr;
}

}  // namespace kernloop::capture
