#include "softgpu/hsa/queues/hardware_queue.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "softgpu/hsa/host/log.h"

namespace kernloop::softgpu {

HardwareQueue::HardwareQueue(Services services, QueueErrorCallback callback, void* callback_data)
    : services_(std::move(services)),
      callback_(callback),
      callback_data_(callback_data),
      cancelled_([this] { return halted_.load(); }) {}

void HardwareQueue::start(std::unique_ptr<QueueMemory> memory) {
  memory_ = std::move(memory);
  if (reported_as_ == nullptr) reported_as_ = memory_->handle();
  if (services_.device_lost) halted_ = true;
  thread_ = std::thread(&HardwareQueue::run, this);
}

HardwareQueue::~HardwareQueue() {
  inactivate();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    *destroyed_ = true;  // by its own error callback: the thread touches nothing after it
    thread_.detach();
  } else {
    thread_.join();
  }
}

void HardwareQueue::ring() {
  { std::lock_guard lock(mutex_); }  // the consumer is either before its look at the header or asleep
  changed_.notify_all();
}

void HardwareQueue::inactivate() {
  {
    std::lock_guard lock(mutex_);
    stop_ = halted_ = true;
  }
  changed_.notify_all();
  services_.signals.wake_all();
}

void HardwareQueue::halt() {
  halted_ = true;
  services_.signals.wake_all();
}

void HardwareQueue::submit(std::span<const Packet> packets) {
  std::lock_guard producer(producers_);
  for (const Packet& packet : packets) {
    const uint64_t index = memory_->write_index().fetch_add(1, std::memory_order_acq_rel);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return stop_ || index - memory_->read_index().load(std::memory_order_acquire) < memory_->size();
      });
      if (stop_) return;
    }
    publish(memory_->slot(index), packet);
  }
  ring();
}

void HardwareQueue::run() {
  for (uint64_t index = 0;; ++index) {
    wait_for_doorbell(index);
    if (stop_) return;
    Packet& slot = memory_->slot(index);
    Completion completion;
    if (auto error = execute(slot, index, completion)) {
      if (stop_ || !fail(*error)) return;
      completion = lost(slot);
    }
    store_header(slot, kInvalidHeader);
    {
      std::lock_guard lock(mutex_);
      memory_->read_index().store(index + 1, std::memory_order_release);
    }
    changed_.notify_all();
    // Signalled after the slot is free: an observer of the completion finds the read index past the packet.
    const auto& [signal, start_ns, end_ns] = completion;
    if (signal.handle != 0 && services_.signals.valid(signal)) services_.signals.complete(signal, start_ns, end_ns);
  }
}

void HardwareQueue::wait_for_doorbell(uint64_t index) {
  // The header says whether a packet is there; the doorbell only says when to look. (Producers may ring out of order.)
  auto ready = [&] { return packet_type(load_header(memory_->slot(index))) != HSA_PACKET_TYPE_INVALID; };
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || ready(); });
}

std::optional<QueueError> HardwareQueue::execute(const Packet& packet, uint64_t index, Completion& completion) {
  const uint16_t header = load_header(packet);
  if (has_reserved_scope(header)) {
    return QueueError{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                      "packet " + std::to_string(index) + ": fence scope 3, which is reserved"};
  }
  switch (packet_type(header)) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH:
      return dispatch(packet, index, completion);
    case HSA_PACKET_TYPE_BARRIER_AND:
      return barrier(packet, true, completion);
    case HSA_PACKET_TYPE_BARRIER_OR:
      return barrier(packet, false, completion);
    case HSA_PACKET_TYPE_AGENT_DISPATCH:
      return QueueError{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                        "packet " + std::to_string(index) + ": a GPU queue takes no agent dispatch packets"};
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
      const auto format = packet.as<hsa_amd_barrier_value_packet_t>().header.AmdFormat;
      if (format == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) return barrier_value(packet, completion);
      return QueueError{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                        "packet " + std::to_string(index) + ": vendor packets of format " + std::to_string(format) +
                            " (1 is PM4 commands) are not supported"};
    }
    default:
      return QueueError{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                        "packet " + std::to_string(index) + ": unknown type " + std::to_string(packet_type(header))};
  }
}

std::optional<QueueError> HardwareQueue::dispatch(const Packet& packet, uint64_t index, Completion& completion) {
  const auto typed = packet.as<hsa_kernel_dispatch_packet_t>();
  if (typed.completion_signal.handle != 0 && !services_.signals.valid(typed.completion_signal)) {
    return QueueError{HSA_STATUS_ERROR_INVALID_SIGNAL,
                      "packet " + std::to_string(index) + ": no such completion signal"};
  }
  if (services_.device_lost) {
    services_.signals.set_record(typed.completion_signal, services_.dispatcher.not_executed(typed));
    completion = lost(packet);
    return std::nullopt;
  }
  const uint64_t start = now_ns();
  std::shared_ptr<const DispatchRecord> record;
  {
    Signals::RunningDispatch running(services_.signals);
    // Kernels read the packet through dispatch_ptr: it stays in its slot until the kernel has ended.
    record = services_.dispatcher.run(typed, reinterpret_cast<uint64_t>(&packet),
                                      reinterpret_cast<uint64_t>(memory_->handle()), index, cancelled_);
  }
  services_.signals.set_record(typed.completion_signal, record);
  if (record->fault && services_.device_lost && record->fault->kind == Fault::Kind::kCancelled) {
    completion = lost(packet);
    return std::nullopt;
  }
  if (record->fault) {
    if (record->fault->kind == Fault::Kind::kMemoryAccess && !stop_) services_.memory_fault(*record->fault);
    return QueueError{status_of(*record->fault), record->fault->text()};
  }
  completion = {typed.completion_signal, start, now_ns()};
  return std::nullopt;
}

void HardwareQueue::wait_for_signals(std::span<const WaitTarget> targets, bool all) {
  if (all) {
    for (const WaitTarget& target : targets) services_.signals.wait_any({&target, 1}, kWaitForever, &halted_);
  } else if (!targets.empty()) {
    services_.signals.wait_any(targets, kWaitForever, &halted_);
  }
}

std::optional<QueueError> HardwareQueue::barrier(const Packet& packet, bool all, Completion& completion) {
  const auto typed = packet.as<hsa_barrier_and_packet_t>();  // barrier-OR has the same layout
  const uint64_t start = now_ns();
  std::vector<WaitTarget> targets;
  for (hsa_signal_t signal : typed.dep_signal) {
    if (signal.handle == 0) continue;
    if (!services_.signals.valid(signal))
      return QueueError{HSA_STATUS_ERROR_INVALID_SIGNAL, "barrier packet: no such signal"};
    targets.push_back({signal, HSA_SIGNAL_CONDITION_EQ, 0});
  }
  wait_for_signals(targets, all);
  if (!stop_) completion = {typed.completion_signal, start, now_ns()};
  return std::nullopt;
}

std::optional<QueueError> HardwareQueue::barrier_value(const Packet& packet, Completion& completion) {
  const auto typed = packet.as<hsa_amd_barrier_value_packet_t>();
  // A packet without a signal waits for nothing: HIP since 6.0 records its events this way.
  const bool waits = typed.signal.handle != 0;
  if (waits && !services_.signals.valid(typed.signal)) {
    return QueueError{HSA_STATUS_ERROR_INVALID_SIGNAL, "barrier-value packet: no such signal"};
  }
  const uint64_t start = now_ns();
  const auto condition = static_cast<hsa_signal_condition_t>(typed.cond);
  while (waits && !halted_) {
    const int64_t seen = services_.signals.load(typed.signal);
    if (satisfies(seen & typed.mask, condition, typed.value)) break;
    // The mask makes the condition one that only we can check: wait for any change.
    const WaitTarget changed{typed.signal, HSA_SIGNAL_CONDITION_NE, seen};
    services_.signals.wait_any({&changed, 1}, kWaitForever, &halted_);
  }
  if (!stop_) completion = {typed.completion_signal, start, now_ns()};
  return std::nullopt;
}

// Completes packets on a lost device, which would otherwise keep their waiters waiting.
HardwareQueue::Completion HardwareQueue::lost(const Packet& packet) {
  static_assert(offsetof(hsa_kernel_dispatch_packet_t, completion_signal) ==
                offsetof(hsa_barrier_and_packet_t, completion_signal));
  static_assert(offsetof(hsa_kernel_dispatch_packet_t, completion_signal) ==
                offsetof(hsa_amd_barrier_value_packet_t, completion_signal));
  const uint64_t now = now_ns();
  return {packet.as<hsa_kernel_dispatch_packet_t>().completion_signal, now, now};
}

bool HardwareQueue::fail(const QueueError& error) {
  report_error("%s", error.text.c_str());
  if (callback_ == nullptr) {
    // Without a callback the error would be lost: waiters for this packet would wait forever. ROCr aborts here, too.
    report_error("the queue has no error callback: the process is aborted");
    std::abort();
  }
  const auto destroyed = destroyed_;  // both outlive a callback that destroys the queue
  const auto report = services_.report;
  report(error.status, reported_as_, callback_, callback_data_);
  if (*destroyed) return false;
  if (services_.device_lost && !stop_) return true;
  inactivate();
  return false;
}

}  // namespace kernloop::softgpu
