// What kind of memory a pool or region hands out.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "capture/core/allocation.h"
#include "capture/hsa/hsa_api.h"

namespace kernloop::capture {

struct PoolKind {
  MemoryClass memory_class = MemoryClass::kHost;
  bool kernarg = false;
};

class Pools {
 public:
  explicit Pools(const HsaOriginals& hsa) : hsa_(hsa) {}
  // Memory that cannot be classified counts as the device's: then a change outside the scope is never overlooked.
  PoolKind of_pool(hsa_amd_memory_pool_t pool);
  PoolKind of_region(hsa_region_t region);

 private:
  void enumerate();
  const HsaOriginals& hsa_;
  std::mutex mutex_;
  bool enumerated_ = false;
  std::unordered_map<uint64_t, PoolKind> pools_, regions_;
};

}  // namespace kernloop::capture
