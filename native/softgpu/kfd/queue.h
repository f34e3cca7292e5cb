// A queue of the emulated GPU: a thread that polls the ring which the runtime writes to. No doorbell is trapped.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "softgpu/engine/engine.h"
#include "softgpu/kfd/events.h"
#include "softgpu/kfd/memory.h"

namespace kernloop::softgpu::kfd {

struct Gpu {
  Engine& engine;
  Memory& memory;
  Events& events;
  DispatchOptions options;  // for every dispatch
};

struct Ring {
  uint32_t id;
  uint64_t base, bytes;
  uint64_t read_index, write_index;  // their addresses
  uint64_t* doorbell;
  uint64_t save_area;  // address of a SaveArea, or 0
};

class Queue {
 public:
  Queue(const Gpu& gpu, const Ring& ring) : gpu_(gpu), ring_(ring) {}
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void start() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    is_stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }

 protected:
  virtual void run() = 0;
  bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }
  // False: the queue was stopped before.
  bool wait_until(const std::function<bool()>& is_ready);

  const Gpu& gpu_;
  const Ring ring_;

 private:
  std::atomic<bool> is_stopped_{false};
  std::thread thread_;
};

std::unique_ptr<Queue> make_aql_queue(const Gpu& gpu, const Ring& ring);
std::unique_ptr<Queue> make_sdma_queue(const Gpu& gpu, const Ring& ring);

// The counter of the GPU, of 100 MHz.
uint64_t gpu_ticks();

template <typename Value>
std::atomic_ref<Value> word_at(uint64_t address) {
  return std::atomic_ref<Value>(*reinterpret_cast<Value*>(address));
}

}  // namespace kernloop::softgpu::kfd
