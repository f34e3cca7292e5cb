// Launches by AQL packets on a queue of ours: the interface of an HSA runtime alone. HipLauncher is the alternative.
#pragma once

#include <atomic>
#include <vector>

#include "replay/core/device/device.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

class AqlLauncher {
 public:
  enum class End { kCompleted, kFault, kLimit };

  // `status`: set when a fault is noticed, here and by the runtime's events. `timed`: the device times kernels.
  AqlLauncher(HsaLibrary& hsa, hsa_agent_t gpu, hsa_amd_memory_pool_t kernarg_pool, std::atomic<int>& status,
              bool timed)
      : hsa_(hsa), gpu_(gpu), kernarg_pool_(kernarg_pool), status_(status), timed_(timed) {}

  // After anything but kCompleted the device must not be used any more.
  Result<End> run(const Launch& launch);
  Result<uint64_t> duration_ns() const;  // duration of the last launch

  hsa_signal_t signal() const { return told_; }  // completion signal of the last launch; 0: none
  // Kernel arguments, packets and queue: not captured memory, at any address of this process.
  std::vector<AddressRange> own_memory() const;
  // Not called by a destructor: a lost device must not be used.
  void free();

 private:
  Status prepare_queue();
  Status prepare_kernarg(size_t bytes);
  Status prepare_services(const Launch& launch);
  Status submit(const Launch& launch);
  template <typename Packet>
  void put(const Packet& packet, uint16_t header);
  void put_barrier(hsa_signal_t completion);

  HsaLibrary& hsa_;
  const hsa_agent_t gpu_;
  const hsa_amd_memory_pool_t kernarg_pool_;
  std::atomic<int>& status_;
  const bool timed_;
  uint64_t timestamp_hz_ = 1'000'000'000;
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t signal_{}, told_{};
  uint64_t last_index_ = 0;
  void* services_ = nullptr;
  void* kernarg_ = nullptr;
  size_t kernarg_bytes_ = 0;
};

}  // namespace kernloop::replay
