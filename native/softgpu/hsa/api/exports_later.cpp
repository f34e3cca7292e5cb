// The library's exports that are newer than the tables of ROCm 5.2.3. Each goes through the table of later runtimes, so
// that a tool which was handed that one sees the call.
#pragma GCC visibility push(default)
#include "softgpu/hsa/api/tables.h"
#include "softgpu/hsa/later_api.h"

using kernloop::softgpu::later_amd_table;

extern "C" {

hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals, hsa_signal_t completion_signal,
                                                 hsa_amd_sdma_engine_id_t engine_id, bool force_copy_on_sdma) {
  return later_amd_table().hsa_amd_memory_async_copy_on_engine_fn(dst, dst_agent, src, src_agent, size, num_dep_signals,
                                                                  dep_signals, completion_signal, engine_id,
                                                                  force_copy_on_sdma);
}
hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags) {
  return later_amd_table().hsa_amd_vmem_address_reserve_fn(va, size, address, flags);
}
hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size) {
  return later_amd_table().hsa_amd_vmem_address_free_fn(va, size);
}
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t flags, hsa_amd_vmem_alloc_handle_t* memory_handle) {
  return later_amd_table().hsa_amd_vmem_handle_create_fn(pool, size, type, flags, memory_handle);
}
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
  return later_amd_table().hsa_amd_vmem_handle_release_fn(memory_handle);
}
hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle,
                              uint64_t flags) {
  return later_amd_table().hsa_amd_vmem_map_fn(va, size, in_offset, memory_handle, flags);
}
hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size) {
  return later_amd_table().hsa_amd_vmem_unmap_fn(va, size);
}
hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt) {
  return later_amd_table().hsa_amd_vmem_set_access_fn(va, size, desc, desc_cnt);
}
hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* permissions, hsa_agent_t agent_handle) {
  return later_amd_table().hsa_amd_vmem_get_access_fn(va, permissions, agent_handle);
}
hsa_status_t hsa_amd_queue_create(hsa_agent_t agent, hsa_amd_queue_create_desc_t* descs, uint32_t num_descs) {
  return later_amd_table().hsa_amd_queue_create_fn(agent, descs, num_descs);
}
}
