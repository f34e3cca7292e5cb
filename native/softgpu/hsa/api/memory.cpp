// Regions, memory pools, locked memory and facts about pointers.
#include <algorithm>
#include <array>
#include <cstring>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/api/values.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

hsa_status_t allocate(uint64_t pool_handle, size_t size, void** pointer, hsa_status_t no_such_pool) {
  if (size == 0 || pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Pool* pool = find_pool(pool_handle);
  if (pool == nullptr) return no_such_pool;
  if (!pool->allocatable) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  return runtime().memory.allocate(*pool, size, pointer);
}

hsa_status_t lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent, void** agent_ptr) {
  if (host_ptr == nullptr || size == 0 || agent_ptr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if ((agents == nullptr) != (num_agent == 0)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < num_agent; ++i) {
    if (!is_agent(agents[i])) return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  *agent_ptr = host_ptr;  // one address space
  if (runtime().virtual_memory.find(host_ptr)) return HSA_STATUS_SUCCESS;
  return runtime().memory.lock(host_ptr, size);
}

}  // namespace

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent, hsa_status_t (*callback)(hsa_region_t region, void* data),
                                       void* data) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // A GPU can use the host's memory, too.
  for (const Pool& pool : pools()) {
    if (pool.owner.handle != agent.handle && !(is_gpu(agent) && pool.allocatable)) continue;
    if (hsa_status_t status = callback({pool.handle}, data); status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value) {
  const Pool* pool = find_pool(region.handle);
  if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (static_cast<int>(attribute)) {
    case HSA_REGION_INFO_SEGMENT:
      return give<uint32_t>(value, pool->segment);
    case HSA_REGION_INFO_GLOBAL_FLAGS:
      return give<uint32_t>(value, pool->global_flags);
    case HSA_REGION_INFO_SIZE:
    case HSA_REGION_INFO_ALLOC_MAX_SIZE:
      return give<size_t>(value, pool_bytes(*pool));
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
      return give<bool>(value, pool->allocatable);
    case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
      return give<size_t>(value, pool->allocatable ? kGranule : 0);
    case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
      return give<uint32_t>(value, 0);
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
      return give<bool>(value, pool->allocatable);
    case HSA_AMD_REGION_INFO_BASE:
      return give<void*>(value, nullptr);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  return allocate(region.handle, size, ptr, HSA_STATUS_ERROR_INVALID_REGION);
}

hsa_status_t hsa_memory_free(void* ptr) {
  return api::hsa_amd_memory_pool_free(ptr);
}

hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t) {
  if (ptr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return is_agent(agent) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_memory_register(void* ptr, size_t size) {
  if (size == 0 && ptr != nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (ptr == nullptr || runtime().find_range(ptr)) return HSA_STATUS_SUCCESS;
  return runtime().memory.lock(ptr, size);
}

hsa_status_t hsa_memory_deregister(void* ptr, size_t) {
  return ptr == nullptr ? HSA_STATUS_SUCCESS : runtime().memory.unlock(ptr);
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t pool, void* data),
                                                void* data) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const Pool& pool : pools()) {
    if (pool.owner.handle != agent.handle) continue;
    if (hsa_status_t status = callback({pool.handle}, data); status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool, hsa_amd_memory_pool_info_t attribute,
                                          void* value) {
  const Pool* pool = find_pool(memory_pool.handle);
  if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (static_cast<int>(attribute)) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
      return give<uint32_t>(value, pool->segment);
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
      return give<uint32_t>(value, pool->global_flags);
    case HSA_AMD_MEMORY_POOL_INFO_SIZE:
      return give<size_t>(value, pool_bytes(*pool));
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
      return give<size_t>(value, pool->allocatable ? pool_bytes(*pool) : 0);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
      return give<bool>(value, pool->allocatable);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
      return give<size_t>(value, pool->allocatable ? kGranule : 0);
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
      return give<bool>(value, !is_gpu(pool->owner));
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  const Pool* pool = find_pool(memory_pool.handle);
  if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const bool own = pool->owner.handle == agent.handle;
  switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      if (!pool->allocatable && !own) return give<uint32_t>(value, HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
      return give<uint32_t>(value, HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return give<uint32_t>(value, own ? 0 : 1);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
      if (own) return HSA_STATUS_SUCCESS;  // no hop, no entry
      hsa_amd_memory_pool_link_info_t link{};
      link.atomic_support_32bit = link.atomic_support_64bit = link.coherent_support = true;
      link.link_type = HSA_AMD_LINK_INFO_TYPE_PCIE;
      link.numa_distance = 20;
      return give(value, link);
    }
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size, uint32_t, void** ptr) {
  return allocate(memory_pool.handle, size, ptr, static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
}

hsa_status_t hsa_amd_memory_pool_free(void* ptr) {
  return ptr == nullptr ? HSA_STATUS_SUCCESS : runtime().memory.release(ptr);
}

// Every agent may use every allocation; an empty list would forbid all of them.
hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents, const uint32_t* flags,
                                         const void* ptr) {
  if (num_agents == 0 || agents == nullptr || flags != nullptr || ptr == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!std::all_of(agents, agents + num_agents, is_agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return runtime().find_range(ptr) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src, hsa_amd_memory_pool_t dst, bool* result) {
  if (find_pool(src.handle) == nullptr || find_pool(dst.handle) == nullptr)
    return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *result = false;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent, void** agent_ptr) {
  return lock(host_ptr, size, agents, num_agent, agent_ptr);
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                         hsa_amd_memory_pool_t pool, uint32_t flags, void** agent_ptr) {
  const Pool* found = find_pool(pool.handle);
  if (found == nullptr || is_gpu(found->owner)) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  if (flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return lock(host_ptr, size, agents, num_agent, agent_ptr);
}

hsa_status_t hsa_amd_memory_unlock(void* host_ptr) {
  return host_ptr == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : runtime().memory.unlock(host_ptr);
}

hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info, void* (*alloc)(size_t),
                                  uint32_t* num_agents_accessible, hsa_agent_t** accessible) {
  if (ptr == nullptr || info == nullptr || info->size < sizeof(uint32_t)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_amd_pointer_info_t result{};
  result.size = std::min<uint32_t>(info->size, sizeof(result));
  result.type = HSA_EXT_POINTER_TYPE_UNKNOWN;
  auto range = runtime().find_range(ptr);
  if (range) {
    result.type = range->type;
    result.agentBaseAddress = result.hostBaseAddress = reinterpret_cast<void*>(range->base);
    result.sizeInBytes = range->size;
    result.userData = range->user_data;
    result.agentOwner = range->owner;
    result.global_flags = range->global_flags;
  }
  std::memcpy(info, &result, result.size);
  if (alloc == nullptr || num_agents_accessible == nullptr || accessible == nullptr) return HSA_STATUS_SUCCESS;
  *num_agents_accessible = range ? 2 : 0;
  if (!range) return HSA_STATUS_SUCCESS;
  *accessible = static_cast<hsa_agent_t*>(alloc(2 * sizeof(hsa_agent_t)));
  if (*accessible == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  (*accessible)[0] = kCpuAgent;
  (*accessible)[1] = kGpuAgent;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata) {
  return runtime().memory.set_user_data(ptr, userdata) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_register_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback,
                                                    void* user_data) {
  if (ptr == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().memory.add_release_callback(ptr, callback, user_data);
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback) {
  if (ptr == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().memory.remove_release_callback(ptr, callback);
}

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void* data) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  runtime().add_system_event_handler(callback, data);
  return HSA_STATUS_SUCCESS;
}

}  // namespace kernloop::softgpu::api
