// Kind of memory that a pool or region hands out.
#pragma once

#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "capture/core/allocation.h"
#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

class Pools {
 public:
  explicit Pools(const HsaOriginals& hsa) : hsa_(hsa) {}
  // Memory that cannot be classified counts as the device's: then a change outside the scope is never overlooked.
  MemoryClass of_pool(hsa_amd_memory_pool_t pool);
  MemoryClass of_region(hsa_region_t region);
  // Physical memory that is mapped later. Handles may be mapped after their release, and numbers come again.
  void add_handle(hsa_amd_vmem_alloc_handle_t handle, hsa_amd_memory_pool_t pool);
  MemoryClass of_handle(hsa_amd_vmem_alloc_handle_t handle);
  // Physical memory of another process.
  void add_imported(hsa_amd_vmem_alloc_handle_t handle);
  bool is_imported(hsa_amd_vmem_alloc_handle_t handle);

 private:
  void enumerate();
  const HsaOriginals& hsa_;
  std::mutex mutex_;
  bool enumerated_ = false;
  std::unordered_map<uint64_t, MemoryClass> pools_, regions_, handles_;
  std::unordered_set<uint64_t> imported_;
};

}  // namespace kernloop::capture
