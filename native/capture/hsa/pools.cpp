#include "capture/hsa/pools.h"

namespace kernloop::capture {
namespace {

struct Walk {
  const HsaOriginals* hsa;
  std::unordered_map<uint64_t, MemoryClass>* pools;
  std::unordered_map<uint64_t, MemoryClass>* regions;
  MemoryClass memory_class;
};

hsa_status_t on_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  (*walk.pools)[pool.handle] = walk.memory_class;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t on_region(hsa_region_t region, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  (*walk.regions)[region.handle] = walk.memory_class;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t on_agent(hsa_agent_t agent, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  walk.hsa->core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type);
  walk.memory_class = type == HSA_DEVICE_TYPE_CPU ? MemoryClass::kHost : MemoryClass::kDevice;
  if (walk.hsa->amd.hsa_amd_agent_iterate_memory_pools_fn != nullptr) {
    walk.hsa->amd.hsa_amd_agent_iterate_memory_pools_fn(agent, on_pool, data);
  }
  if (walk.hsa->core.hsa_agent_iterate_regions_fn != nullptr) {
    walk.hsa->core.hsa_agent_iterate_regions_fn(agent, on_region, data);
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace

void Pools::enumerate() {
  if (enumerated_) return;
  enumerated_ = true;
  Walk walk{&hsa_, &pools_, &regions_, MemoryClass::kDevice};
  hsa_.core.hsa_iterate_agents_fn(on_agent, &walk);
}

MemoryClass Pools::of_pool(hsa_amd_memory_pool_t pool) {
  std::lock_guard lock(mutex_);
  enumerate();
  const auto found = pools_.find(pool.handle);
  return found != pools_.end() ? found->second : MemoryClass::kDevice;
}

MemoryClass Pools::of_region(hsa_region_t region) {
  std::lock_guard lock(mutex_);
  enumerate();
  const auto found = regions_.find(region.handle);
  return found != regions_.end() ? found->second : MemoryClass::kDevice;
}

void Pools::add_handle(hsa_amd_vmem_alloc_handle_t handle, hsa_amd_memory_pool_t pool) {
  const MemoryClass memory_class = of_pool(pool);
  std::lock_guard lock(mutex_);
  handles_[handle.handle] = memory_class;
  imported_.erase(handle.handle);
}

void Pools::add_imported(hsa_amd_vmem_alloc_handle_t handle) {
  std::lock_guard lock(mutex_);
  imported_.insert(handle.handle);
}

bool Pools::is_imported(hsa_amd_vmem_alloc_handle_t handle) {
  std::lock_guard lock(mutex_);
  return imported_.contains(handle.handle);
}

MemoryClass Pools::of_handle(hsa_amd_vmem_alloc_handle_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = handles_.find(handle.handle);
  return found != handles_.end() ? found->second : MemoryClass::kDevice;
}

}  // namespace kernloop::capture
