// The packet processor of AQL (HSA Platform System Architecture 1.2, section 2.9), with AMD's vendor packets.
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>

#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/queues/dispatch_request.h"
#include "softgpu/hsa/queues/packets.h"
#include "softgpu/hsa/queues/past_lds_report.h"
#include "softgpu/hsa/queues/signals.h"
#include "softgpu/kfd/kernel.h"
#include "softgpu/kfd/linux_6_12_calls.h"
#include "softgpu/kfd/queue.h"

namespace kernloop::softgpu::kfd {
namespace {

// The values that the firmware and the trap handler leave in `queue_inactive_signal`, as ROCr reads them
// (amd_aql_queue.cpp, DynamicScratchHandler).
enum class QueueFailure : int64_t {
  kBadDispatch = 2,
  kBadPacket = 32,
  kIllegalInstruction = 0x40000000,
  kException = 0x80000000,
};

class AqlQueue final : public Queue {
 public:
  using Queue::Queue;
  ~AqlQueue() override { stop(); }

 private:
  void run() override {
    const uint64_t slots = ring_.bytes / sizeof(Packet);
    for (uint64_t index = word_at<uint64_t>(ring_.read_index).load();; index++) {
      Packet& packet = reinterpret_cast<Packet*>(ring_.base)[index % slots];
      const bool is_there = wait_until([&] {
        return packet_type(load_header(packet)) != HSA_PACKET_TYPE_INVALID &&
               word_at<uint64_t>(ring_.write_index).load() > index;
      });
      if (!is_there) return;
      const uint64_t start = gpu_ticks();
      if (!execute(packet, index)) return;  // after an exception the queue stays stopped
      const hsa_signal_t done = packet.as<hsa_barrier_and_packet_t>().completion_signal;  // there in every kind
      store_header(packet, kInvalidHeader);
      word_at<uint64_t>(ring_.read_index).store(index + 1, std::memory_order_release);
      log_line(LogLevel::kPackets, "kfd: queue %u, packet %lu: done, signal 0x%lx", ring_.id, index, done.handle);
      if (done.handle != 0) complete(done, start);
    }
  }

  // The runtime gives the address of the read index, which is in its own record of the queue.
  amd_queue_t& record() const {
    return *reinterpret_cast<amd_queue_t*>(ring_.read_index - offsetof(amd_queue_t, read_dispatch_id));
  }

  bool execute(const Packet& packet, uint64_t index) {
    switch (packet_type(load_header(packet))) {
      case HSA_PACKET_TYPE_KERNEL_DISPATCH:
        return dispatch(packet, index);
      case HSA_PACKET_TYPE_BARRIER_AND:
        return barrier(packet, [](Signals signals) { return std::ranges::all_of(signals, is_zero); });
      case HSA_PACKET_TYPE_BARRIER_OR:
        return barrier(packet,
                       [](Signals signals) { return signals.empty() || std::ranges::any_of(signals, is_zero); });
      case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
        return vendor_packet(packet, index);
      default:
        report_error("kfd: queue %u, packet %lu: type %u is not for a GPU", ring_.id, index,
                     packet_type(load_header(packet)));
        return fail(QueueFailure::kBadPacket);
    }
  }

  static std::atomic_ref<int64_t> value_of(hsa_signal_t signal) {
    return word_at<int64_t>(signal.handle + offsetof(amd_signal_t, value));
  }
  static bool is_zero(hsa_signal_t signal) { return value_of(signal).load(std::memory_order_acquire) == 0; }

  using Signals = std::span<const hsa_signal_t>;
  bool barrier(const Packet& packet, bool (*is_met)(Signals)) {
    const auto typed = packet.as<hsa_barrier_and_packet_t>();
    hsa_signal_t signals[std::size(typed.dep_signal)];
    const auto end = std::copy_if(std::begin(typed.dep_signal), std::end(typed.dep_signal), signals,
                                  [](hsa_signal_t signal) { return signal.handle != 0; });
    return wait_until([&] { return is_met({signals, end}); });
  }

  bool vendor_packet(const Packet& packet, uint64_t index) {
    constexpr uint8_t kPm4Commands = 1;
    const auto typed = packet.as<hsa_amd_barrier_value_packet_t>();
    switch (typed.header.AmdFormat) {
      case HSA_AMD_PACKET_TYPE_BARRIER_VALUE:
        // HIP 6 sends some without a signal, for their completion alone.
        return typed.signal.handle == 0 || wait_until([&] {
                 const int64_t seen = value_of(typed.signal).load(std::memory_order_acquire) & typed.mask;
                 return satisfies(seen, static_cast<hsa_signal_condition_t>(typed.cond), typed.value);
               });
      case kPm4Commands:
        return commands(packet, index);
      default:
        report_error("kfd: queue %u, packet %lu: vendor packets of format %u are not emulated", ring_.id, index,
                     typed.header.AmdFormat);
        return fail(QueueFailure::kBadPacket);
    }
  }

  // PM4 in an indirect buffer: ROCr empties the caches of instructions so, after it loaded code.
  bool commands(const Packet& packet, uint64_t index) {
    constexpr uint32_t kType3 = 3, kNop = 0x10, kAcquireMemory = 0x58;
    uint32_t words[sizeof(Packet) / sizeof(uint32_t)];
    std::memcpy(words, &packet, sizeof(packet));
    const auto* const buffer = reinterpret_cast<const uint32_t*>(uint64_t{words[3] & 0xffff} << 32 | (words[2] & ~3u));
    const uint32_t count = words[4] & 0xfffff;
    for (uint32_t at = 0; at < count;) {
      const uint32_t head = buffer[at], opcode = head >> 8 & 0xff;
      if (head >> 30 != kType3 || (opcode != kNop && opcode != kAcquireMemory)) {
        report_error("kfd: queue %u, packet %lu: PM4 command 0x%08x is not emulated", ring_.id, index, head);
        return fail(QueueFailure::kBadPacket);
      }
      if (opcode == kAcquireMemory) gpu_.engine.forget_code(0, ~uint64_t{0});
      at += (head >> 16 & 0x3fff) + 2;
    }
    return true;
  }

  bool dispatch(const Packet& packet, uint64_t index) {
    const auto typed = packet.as<hsa_kernel_dispatch_packet_t>();
    char name[32];
    std::snprintf(name, sizeof(name), "kernel at 0x%lx", typed.kernel_object);
    const auto queue_address = reinterpret_cast<uint64_t>(&record());
    const DispatchRequest request =
        dispatch_request(typed, name, reinterpret_cast<uint64_t>(&packet), queue_address, index);
    const auto& grid = request.grid_size;
    log_line(LogLevel::kPackets, "kfd: queue %u, packet %lu: %s, grid %ux%ux%u", ring_.id, index, name, grid[0],
             grid[1], grid[2]);
    gpu_.memory.forget_unmapped();
    DispatchOptions options = gpu_.options;
    const std::function<bool()> is_cancelled = [this] { return is_stopped(); };
    options.cancelled = &is_cancelled;
    const DispatchOutcome outcome = gpu_.engine.run(request, options);
    past_lds_.tell(outcome);
    gpu_.events.scan_page();  // kernels write there, too
    return !outcome.fault || fault(*outcome.fault, index);
  }

  bool fault(const Fault& fault, uint64_t index) {
    if (fault.kind == Fault::Kind::kCancelled) return false;
    report_error("kfd: queue %u, packet %lu: %s", ring_.id, index, fault.text().c_str());
    switch (fault.kind) {
      case Fault::Kind::kMemoryAccess:
        gpu_.events.raise_memory_fault(fault.address, fault.is_write);
        return false;
      case Fault::Kind::kUnknownInstruction:
      case Fault::Kind::kUnsupportedInstruction:
        return fail(QueueFailure::kIllegalInstruction);
      case Fault::Kind::kBadDispatch:
        return fail(QueueFailure::kBadDispatch);
      default:
        return fail(QueueFailure::kException);
    }
  }

  bool fail(QueueFailure failure) {
    if (kernel().is_later) return except(code_of(failure));
    const hsa_signal_t signal = record().queue_inactive_signal;
    if (signal.handle == 0) return false;
    value_of(signal).store(static_cast<int64_t>(failure), std::memory_order_release);
    interrupt(signal);
    return false;
  }

  static ExceptionCode code_of(QueueFailure failure) {
    switch (failure) {
      case QueueFailure::kBadDispatch:
        return ExceptionCode::kDispatchCodeInvalid;
      case QueueFailure::kBadPacket:
        return ExceptionCode::kPacketUnsupported;
      case QueueFailure::kIllegalInstruction:
        return ExceptionCode::kIllegalInstruction;
      case QueueFailure::kException:
        break;
    }
    return ExceptionCode::kAbort;
  }

  // The queue's save area says where to.
  bool except(ExceptionCode code) {
    if (ring_.save_area == 0) return false;
    const auto& area = *reinterpret_cast<const SaveArea*>(ring_.save_area);
    if (area.payload_address == 0) return false;
    word_at<uint64_t>(area.payload_address).fetch_or(uint64_t{1} << (static_cast<uint32_t>(code) - 1));
    gpu_.events.set(area.event);
    return false;
  }

  void complete(hsa_signal_t handle, uint64_t start) {
    auto* const signal = reinterpret_cast<amd_signal_t*>(handle.handle);
    signal->start_ts = start;
    signal->end_ts = gpu_ticks();
    const Mailbox mailbox = mailbox_of(handle);  // the signal may be gone as soon as its value has changed
    value_of(handle).fetch_sub(1, std::memory_order_acq_rel);
    interrupt(mailbox);
  }

  struct Mailbox {
    uint64_t address;
    uint32_t event;
  };
  static Mailbox mailbox_of(hsa_signal_t handle) {
    const auto* const signal = reinterpret_cast<const amd_signal_t*>(handle.handle);
    return {signal->event_mailbox_ptr, signal->event_id};
  }
  void interrupt(hsa_signal_t handle) { interrupt(mailbox_of(handle)); }
  void interrupt(Mailbox mailbox) {
    if (mailbox.address == 0) return;
    word_at<uint64_t>(mailbox.address).store(mailbox.event, std::memory_order_release);
    gpu_.events.scan_page();
  }

  PastLdsReport past_lds_;
};

}  // namespace

std::unique_ptr<Queue> make_aql_queue(const Gpu& gpu, const Ring& ring) {
  return std::make_unique<AqlQueue>(gpu, ring);
}

}  // namespace kernloop::softgpu::kfd
