// Virtual memory management (hsa_amd_vmem_*).
#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

uint64_t address_of(void* va) {
  return reinterpret_cast<uint64_t>(va);
}

}  // namespace

hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags) {
  return api::hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address, uint64_t alignment,
                                                uint64_t flags) {
  if (va == nullptr || flags != 0 || runtime().options.hostility.old_driver) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint64_t base = 0;
  const hsa_status_t status = runtime().virtual_memory.reserve(size, address, alignment, &base);
  if (status == HSA_STATUS_SUCCESS) *va = reinterpret_cast<void*>(base);
  return status;
}

hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size) {
  return runtime().virtual_memory.free(address_of(va), size);
}

hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t flags, hsa_amd_vmem_alloc_handle_t* memory_handle) {
  if (memory_handle == nullptr || flags != 0 || type > MEMORY_TYPE_PINNED) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto* found = find_pool(pool.handle);
  if (found == nullptr || !found->allocatable) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  return runtime().virtual_memory.create_handle(*found, size, type, &memory_handle->handle);
}

hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
  return runtime().virtual_memory.release_handle(memory_handle.handle);
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle, void* addr) {
  if (memory_handle == nullptr || addr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().virtual_memory.retain_handle(address_of(addr), &memory_handle->handle);
}

hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle, uint64_t) {
  if (dmabuf_fd == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().virtual_memory.export_handle(handle.handle, dmabuf_fd);
}

hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle) {
  if (dmabuf_fd < 0 || handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().virtual_memory.import_handle(dmabuf_fd, &handle->handle);
}

hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                                           hsa_amd_memory_pool_t* pool, hsa_amd_memory_type_t* type) {
  if (pool == nullptr || type == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Pool* found = nullptr;
  const hsa_status_t status = runtime().virtual_memory.handle_properties(memory_handle.handle, &found, type);
  if (status == HSA_STATUS_SUCCESS) pool->handle = found->handle;
  return status;
}

hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle,
                              uint64_t flags) {
  if (flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().virtual_memory.map(address_of(va), size, in_offset, memory_handle.handle);
}

hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size) {
  return runtime().virtual_memory.unmap(address_of(va), size);
}

hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt) {
  if (desc == nullptr || desc_cnt == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().virtual_memory.set_access(address_of(va), size, {desc, desc_cnt});
}

hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* permissions, hsa_agent_t agent_handle) {
  if (permissions == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime().virtual_memory.get_access(address_of(va), agent_handle, permissions);
}

}  // namespace kernloop::softgpu::api
