// hsa_amd_queue_intercept_create: a queue whose packets pass through handlers before they reach a real one.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "softgpu/hsa/api/tables.h"
#include "softgpu/hsa/queues/hardware_queue.h"

namespace kernloop::softgpu {

// Handlers run on the thread that rings the doorbell, as in ROCr, and may block. While one runs, another thread (or the
// handler itself) that rings only sets a flag, and the first thread handles its packets. The handler registered last
// sees packets first; its writer passes them to the previous one, and the first one's writer to the real queue. A
// handler is given all consecutive valid packets up to the ring's end at once, as by ROCr today, or one at a time for
// one call of the writer (`writes_once`), as by ROCr before ROCm 6.0, where a second call jumped to an invalid address.
// A packet is overwritten once its handler has returned.
class InterceptQueue final : public Queue, public Doorbell {
 public:
  InterceptQueue(std::unique_ptr<HardwareQueue> target, bool writes_once);
  ~InterceptQueue() override;

  void start(std::unique_ptr<QueueMemory> memory);
  void add(hsa_amd_queue_intercept_handler handler, void* data);

  hsa_queue_t* handle() override { return memory_->handle(); }
  void ring() override;
  void inactivate() override { target_->inactivate(); }
  void halt() override { target_->halt(); }

 private:
  struct Interceptor {
    hsa_amd_queue_intercept_handler handler;
    void* data;
  };
  struct Cursor {  // the calling thread's position in the chain of handlers
    InterceptQueue* queue = nullptr;
    size_t level = 0;  // handlers that have not seen the packets yet
    uint64_t packet_index = 0;
    bool has_written = false;
  };
  static thread_local Cursor cursor_;

  void process();
  static void write(const void* packets, uint64_t count);
  void pass_on(std::span<const Packet> packets, size_t level, uint64_t packet_index);

  std::unique_ptr<HardwareQueue> target_;
  const bool writes_once_;
  std::unique_ptr<QueueMemory> memory_;
  std::mutex mutex_;
  std::vector<Interceptor> interceptors_;
  std::atomic<uint64_t> rings_{0};
  uint64_t next_ = 0;  // owned by the thread that made rings_ leave 0
};

}  // namespace kernloop::softgpu
