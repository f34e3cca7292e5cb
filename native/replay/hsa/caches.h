// Evicts the GPU's caches before a launch by accessing other memory.
#pragma once

#include "replay/core/device/device.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

// Bytes overwritten at least on hardware: twice the largest Infinity Cache (256 MiB), which early drivers did not
// report, and which is behind L2 caches that are reported once although each die has its own.
constexpr uint64_t kLeastOverwrittenBytes = uint64_t{512} << 20;

// Size of an agent's largest cache, by the list of its caches and by the older HSA_AGENT_INFO_CACHE_SIZE; 0 if neither
// reports one.
uint64_t largest_cache_bytes(const HsaLibrary& hsa, hsa_agent_t agent);

// Three times the largest cache, at least `least`.
uint64_t bytes_to_overwrite(uint64_t largest_cache, uint64_t least);

// Memory of the device that is overwritten by the device.
class CacheEvictor {
 public:
  CacheEvictor(const HsaLibrary& hsa, hsa_amd_memory_pool_t pool, uint64_t bytes)
      : hsa_(hsa), pool_(pool), bytes_(bytes) {}
  CacheEvictor(const CacheEvictor&) = delete;
  CacheEvictor& operator=(const CacheEvictor&) = delete;

  // Returns when all is written. ROCr fills memory by a kernel, whose writes pass through L2 as any kernel's do.
  Status overwrite();
  // Not on a device that was lost.
  void free();

 private:
  const HsaLibrary& hsa_;
  const hsa_amd_memory_pool_t pool_;
  const uint64_t bytes_;
  void* memory_ = nullptr;
  uint32_t times_ = 0;
};

}  // namespace kernloop::replay
