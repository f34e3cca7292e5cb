// The library's exports: AMD extensions. Each goes through the current API table, so that a tool which replaced a slot
// sees the call.
#pragma GCC visibility push(default)
#include "softgpu/hsa/api/tables.h"

using kernloop::softgpu::api_tables;

extern "C" {

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type) {
  return api_tables().amd_ext.hsa_amd_coherency_get_type_fn(agent, type);
}
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type) {
  return api_tables().amd_ext.hsa_amd_coherency_set_type_fn(agent, type);
}
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable) {
  return api_tables().amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(queue, enable);
}
hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
  return api_tables().amd_ext.hsa_amd_profiling_async_copy_enable_fn(enable);
}
hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  return api_tables().amd_ext.hsa_amd_profiling_get_dispatch_time_fn(agent, signal, time);
}
hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
  return api_tables().amd_ext.hsa_amd_profiling_get_async_copy_time_fn(signal, time);
}
hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t* system_tick) {
  return api_tables().amd_ext.hsa_amd_profiling_convert_tick_to_system_domain_fn(agent, agent_tick, system_tick);
}
hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond, hsa_signal_value_t value,
                                          hsa_amd_signal_handler handler, void* arg) {
  return api_tables().amd_ext.hsa_amd_signal_async_handler_fn(signal, cond, value, handler, arg);
}
hsa_status_t hsa_amd_async_function(void (*callback)(void* arg), void* arg) {
  return api_tables().amd_ext.hsa_amd_async_function_fn(callback, arg);
}
uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                 hsa_signal_value_t* satisfying_value) {
  return api_tables().amd_ext.hsa_amd_signal_wait_any_fn(signal_count, signals, conds, values, timeout_hint, wait_hint,
                                                         satisfying_value);
}
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count, const uint32_t* cu_mask) {
  return api_tables().amd_ext.hsa_amd_queue_cu_set_mask_fn(queue, num_cu_mask_count, cu_mask);
}
hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool, hsa_amd_memory_pool_info_t attribute,
                                          void* value) {
  return api_tables().amd_ext.hsa_amd_memory_pool_get_info_fn(memory_pool, attribute, value);
}
hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void* data),
                                                void* data) {
  return api_tables().amd_ext.hsa_amd_agent_iterate_memory_pools_fn(agent, callback, data);
}
hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size, uint32_t flags, void** ptr) {
  return api_tables().amd_ext.hsa_amd_memory_pool_allocate_fn(memory_pool, size, flags, ptr);
}
hsa_status_t hsa_amd_memory_pool_free(void* ptr) {
  return api_tables().amd_ext.hsa_amd_memory_pool_free_fn(ptr);
}
hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent,
                                       size_t size, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                       hsa_signal_t completion_signal) {
  return api_tables().amd_ext.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent, size, num_dep_signals,
                                                           dep_signals, completion_signal);
}
hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  return api_tables().amd_ext.hsa_amd_agent_memory_pool_get_info_fn(agent, memory_pool, attribute, value);
}
hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents, const uint32_t* flags,
                                         const void* ptr) {
  return api_tables().amd_ext.hsa_amd_agents_allow_access_fn(num_agents, agents, flags, ptr);
}
hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                             hsa_amd_memory_pool_t dst_memory_pool, bool* result) {
  return api_tables().amd_ext.hsa_amd_memory_pool_can_migrate_fn(src_memory_pool, dst_memory_pool, result);
}
hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t memory_pool, uint32_t flags) {
  return api_tables().amd_ext.hsa_amd_memory_migrate_fn(ptr, memory_pool, flags);
}
hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent, void** agent_ptr) {
  return api_tables().amd_ext.hsa_amd_memory_lock_fn(host_ptr, size, agents, num_agent, agent_ptr);
}
hsa_status_t hsa_amd_memory_unlock(void* host_ptr) {
  return api_tables().amd_ext.hsa_amd_memory_unlock_fn(host_ptr);
}
hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  return api_tables().amd_ext.hsa_amd_memory_fill_fn(ptr, value, count);
}
hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents, hsa_agent_t* agents, int interop_handle, uint32_t flags,
                                        size_t* size, void** ptr, size_t* metadata_size, const void** metadata) {
  return api_tables().amd_ext.hsa_amd_interop_map_buffer_fn(num_agents, agents, interop_handle, flags, size, ptr,
                                                            metadata_size, metadata);
}
hsa_status_t hsa_amd_interop_unmap_buffer(void* ptr) {
  return api_tables().amd_ext.hsa_amd_interop_unmap_buffer_fn(ptr);
}
hsa_status_t hsa_amd_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor,
                                  const hsa_amd_image_descriptor_t* image_layout, const void* image_data,
                                  hsa_access_permission_t access_permission, hsa_ext_image_t* image) {
  return api_tables().amd_ext.hsa_amd_image_create_fn(agent, image_descriptor, image_layout, image_data,
                                                      access_permission, image);
}
hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info, void* (*alloc)(size_t),
                                  uint32_t* num_agents_accessible, hsa_agent_t** accessible) {
  return api_tables().amd_ext.hsa_amd_pointer_info_fn(ptr, info, alloc, num_agents_accessible, accessible);
}
hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata) {
  return api_tables().amd_ext.hsa_amd_pointer_info_set_userdata_fn(ptr, userdata);
}
hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t len, hsa_amd_ipc_memory_t* handle) {
  return api_tables().amd_ext.hsa_amd_ipc_memory_create_fn(ptr, len, handle);
}
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t len, uint32_t num_agents,
                                       const hsa_agent_t* mapping_agents, void** mapped_ptr) {
  return api_tables().amd_ext.hsa_amd_ipc_memory_attach_fn(handle, len, num_agents, mapping_agents, mapped_ptr);
}
hsa_status_t hsa_amd_ipc_memory_detach(void* mapped_ptr) {
  return api_tables().amd_ext.hsa_amd_ipc_memory_detach_fn(mapped_ptr);
}
hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t* consumers, uint64_t attributes, hsa_signal_t* signal) {
  return api_tables().amd_ext.hsa_amd_signal_create_fn(initial_value, num_consumers, consumers, attributes, signal);
}
hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
  return api_tables().amd_ext.hsa_amd_ipc_signal_create_fn(signal, handle);
}
hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  return api_tables().amd_ext.hsa_amd_ipc_signal_attach_fn(handle, signal);
}
hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void* data) {
  return api_tables().amd_ext.hsa_amd_register_system_event_handler_fn(callback, data);
}
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  return api_tables().amd_ext.hsa_amd_queue_set_priority_fn(queue, priority);
}
hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset,
                                            const hsa_pitched_ptr_t* src, const hsa_dim3_t* src_offset,
                                            const hsa_dim3_t* range, hsa_agent_t copy_agent,
                                            hsa_amd_copy_direction_t dir, uint32_t num_dep_signals,
                                            const hsa_signal_t* dep_signals, hsa_signal_t completion_signal) {
  return api_tables().amd_ext.hsa_amd_memory_async_copy_rect_fn(dst, dst_offset, src, src_offset, range, copy_agent,
                                                                dir, num_dep_signals, dep_signals, completion_signal);
}
hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                         hsa_amd_memory_pool_t pool, uint32_t flags, void** agent_ptr) {
  return api_tables().amd_ext.hsa_amd_memory_lock_to_pool_fn(host_ptr, size, agents, num_agent, pool, flags, agent_ptr);
}
hsa_status_t hsa_amd_register_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback,
                                                    void* user_data) {
  return api_tables().amd_ext.hsa_amd_register_deallocation_callback_fn(ptr, callback, user_data);
}
hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback) {
  return api_tables().amd_ext.hsa_amd_deregister_deallocation_callback_fn(ptr, callback);
}
hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** value_ptr) {
  return api_tables().amd_ext.hsa_amd_signal_value_pointer_fn(signal, value_ptr);
}
hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  return api_tables().amd_ext.hsa_amd_svm_attributes_set_fn(ptr, size, attribute_list, attribute_count);
}
hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  return api_tables().amd_ext.hsa_amd_svm_attributes_get_fn(ptr, size, attribute_list, attribute_count);
}
hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent, uint32_t num_dep_signals,
                                        const hsa_signal_t* dep_signals, hsa_signal_t completion_signal) {
  return api_tables().amd_ext.hsa_amd_svm_prefetch_async_fn(ptr, size, agent, num_dep_signals, dep_signals,
                                                            completion_signal);
}
hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count, uint32_t* cu_mask) {
  return api_tables().amd_ext.hsa_amd_queue_cu_get_mask_fn(queue, num_cu_mask_count, cu_mask);
}

// In no table. Answers for HSA_EXT_AGENT_INFO_IMAGE_* only, as hsa_agent_get_info does.
hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  return api_tables().core.hsa_agent_get_info_fn(agent, attribute, value);
}

}  // extern "C"
