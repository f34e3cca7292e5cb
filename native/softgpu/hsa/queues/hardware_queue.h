// A queue whose packets are executed: one thread takes them in order (which satisfies every barrier bit).
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "softgpu/hsa/queues/dispatcher.h"
#include "softgpu/hsa/queues/queue.h"

namespace kernloop::softgpu {

struct QueueError {
  hsa_status_t status;
  std::string text;
};

class HardwareQueue final : public Queue, public Doorbell {
 public:
  struct Services {
    Signals& signals;
    Dispatcher& dispatcher;
    std::function<void(const Fault&)> memory_fault;  // hsa_amd_register_system_event_handler
    std::function<void(hsa_status_t, hsa_queue_t*, QueueErrorCallback, void*)> report;
    const std::atomic<bool>& device_lost;
  };
  HardwareQueue(Services services, QueueErrorCallback callback, void* callback_data);
  ~HardwareQueue() override;

  void start(std::unique_ptr<QueueMemory> memory);
  // Errors are reported for another queue (the one that a program sees in front of this).
  void report_as(hsa_queue_t* queue) { reported_as_ = queue; }

  hsa_queue_t* handle() override { return memory_->handle(); }
  void ring() override;
  void inactivate() override;
  void halt() override;
  // Adds packets as a producer; waits while the ring is full. Packets for a queue in the error state are dropped, as
  // hardware never reads them.
  void submit(std::span<const Packet> packets);

 private:
  struct Completion {  // a packet that has ended
    hsa_signal_t signal{};
    uint64_t start_ns = 0, end_ns = 0;
  };
  void run();
  void wait_for_doorbell(uint64_t index);
  std::optional<QueueError> execute(const Packet& packet, uint64_t index, Completion& completion);
  std::optional<QueueError> dispatch(const Packet& packet, uint64_t index, Completion& completion);
  void wait_for_signals(std::span<const WaitTarget> targets, bool all);
  std::optional<QueueError> barrier(const Packet& packet, bool all, Completion& completion);
  std::optional<QueueError> barrier_value(const Packet& packet, Completion& completion);
  static Completion lost(const Packet& packet);
  // Whether the queue continues on a lost device.
  bool fail(const QueueError& error);

  Services services_;
  const QueueErrorCallback callback_;
  void* const callback_data_;
  hsa_queue_t* reported_as_ = nullptr;
  std::unique_ptr<QueueMemory> memory_;

  std::mutex mutex_;
  std::condition_variable changed_;  // doorbell, packet taken, stop
  std::atomic<bool> stop_{false};
  std::atomic<bool> halted_{false};  // stopped, or the device is lost: what runs or waits ends
  const std::shared_ptr<std::atomic<bool>> destroyed_ = std::make_shared<std::atomic<bool>>(false);
  std::function<bool()> cancelled_;
  std::mutex producers_;
  std::thread thread_;
};

}  // namespace kernloop::softgpu
