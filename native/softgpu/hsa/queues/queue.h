// User-mode queues: the ring that programs write packets into, as amd_queue_t describes it.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/hsa.h>

#include <cstdint>
#include <memory>

#include "softgpu/hsa/memory/address_allocator.h"
#include "softgpu/hsa/queues/packets.h"
#include "softgpu/hsa/queues/signals.h"

namespace kernloop::softgpu {

using QueueErrorCallback = void (*)(hsa_status_t status, hsa_queue_t* source, void* data);

// The memory of one queue: an amd_queue_t, the ring and the doorbell signal.
class QueueMemory {
 public:
  // nullptr when memory or signals are used up.
  static std::unique_ptr<QueueMemory> create(AddressAllocator& addresses, AddressSpace& space, Signals& signals,
                                             uint32_t size, hsa_queue_type32_t type, uint32_t features,
                                             Doorbell* doorbell);
  ~QueueMemory();

  amd_queue_t& abi() { return *reinterpret_cast<amd_queue_t*>(mapping_.base()); }
  hsa_queue_t* handle() { return &abi().hsa_queue; }
  uint32_t size() { return abi().hsa_queue.size; }
  Packet& slot(uint64_t index) {
    return static_cast<Packet*>(abi().hsa_queue.base_address)[index & (abi().hsa_queue.size - 1)];
  }
  std::atomic_ref<uint64_t> write_index() { return index(abi().write_dispatch_id); }
  std::atomic_ref<uint64_t> read_index() { return index(abi().read_dispatch_id); }
  // Another doorbell than our own (hsa_soft_queue_create); its owner keeps it.
  void use_doorbell(hsa_signal_t doorbell);
  static std::atomic_ref<uint64_t> index(volatile uint64_t& word) {
    return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(word));
  }

 private:
  QueueMemory(AddressAllocator& addresses, AddressSpace& space, Signals& signals, Mapping mapping)
      : addresses_(addresses), space_(space), signals_(signals), mapping_(std::move(mapping)) {}

  AddressAllocator& addresses_;
  AddressSpace& space_;
  Signals& signals_;
  Mapping mapping_;
  bool owns_doorbell_ = true;
};

// Base of the queues that hsa_queue_create and hsa_amd_queue_intercept_create return.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual hsa_queue_t* handle() = 0;
  // No packet is started after this; a kernel that runs is cancelled.
  virtual void inactivate() = 0;
  // The device is lost: no kernel runs and no packet waits any more; all complete.
  virtual void halt() = 0;
};

}  // namespace kernloop::softgpu
