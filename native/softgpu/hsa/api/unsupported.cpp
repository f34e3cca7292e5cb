// Parts of the API that the software GPU does not have. Each says so once on stderr, and fails.
#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/memory/memory_pools.h"

namespace kernloop::softgpu::api {

hsa_status_t hsa_amd_ipc_memory_create(void*, size_t, hsa_amd_ipc_memory_t*) {
  report_unsupported("hsa_amd_ipc_memory_create", "memory is not shared between processes");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t*, size_t, uint32_t, const hsa_agent_t*, void**) {
  report_unsupported("hsa_amd_ipc_memory_attach", "memory is not shared between processes");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_ipc_memory_detach(void*) {
  report_unsupported("hsa_amd_ipc_memory_detach", "memory is not shared between processes");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t, hsa_amd_ipc_signal_t*) {
  report_unsupported("hsa_amd_ipc_signal_create", "signals are not shared between processes");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t*, hsa_signal_t*) {
  report_unsupported("hsa_amd_ipc_signal_attach", "signals are not shared between processes");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_interop_map_buffer(uint32_t, hsa_agent_t*, int, uint32_t, size_t*, void**, size_t*, const void**) {
  report_unsupported("hsa_amd_interop_map_buffer", "there is no graphics driver to share with");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_interop_unmap_buffer(void*) {
  report_unsupported("hsa_amd_interop_unmap_buffer", "there is no graphics driver to share with");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_memory_migrate(const void*, hsa_amd_memory_pool_t, uint32_t) {
  report_unsupported("hsa_amd_memory_migrate", "allocations stay in the pool they came from");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_svm_attributes_set(void*, size_t, hsa_amd_svm_attribute_pair_t*, size_t) {
  report_unsupported("hsa_amd_svm_attributes_set", "HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED is false");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_svm_attributes_get(void*, size_t, hsa_amd_svm_attribute_pair_t*, size_t) {
  report_unsupported("hsa_amd_svm_attributes_get", "HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED is false");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_svm_prefetch_async(void*, size_t, hsa_agent_t, uint32_t, const hsa_signal_t*, hsa_signal_t) {
  report_unsupported("hsa_amd_svm_prefetch_async", "HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED is false");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_signal_group_create(uint32_t, const hsa_signal_t*, uint32_t, const hsa_agent_t*, hsa_signal_group_t*) {
  report_unsupported("hsa_signal_group_create", "use hsa_amd_signal_wait_any");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t) {
  report_unsupported("hsa_signal_group_destroy", "use hsa_amd_signal_wait_any");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t, const hsa_signal_condition_t*,
                                                 const hsa_signal_value_t*, hsa_wait_state_t, hsa_signal_t*,
                                                 hsa_signal_value_t*) {
  report_unsupported("hsa_signal_group_wait_any_scacquire", "use hsa_amd_signal_wait_any");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t, const hsa_signal_condition_t*,
                                               const hsa_signal_value_t*, hsa_wait_state_t, hsa_signal_t*,
                                               hsa_signal_value_t*) {
  report_unsupported("hsa_signal_group_wait_any_relaxed", "use hsa_amd_signal_wait_any");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t, hsa_code_object_info_t, void*) {
  report_unsupported("hsa_code_object_get_info",
                     "deprecated since HSA 1.1: load the code object and ask its executable");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t, const char*, hsa_code_symbol_t*) {
  report_unsupported("hsa_code_object_get_symbol",
                     "deprecated since HSA 1.1: load the code object and ask its executable");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t, hsa_code_symbol_info_t, void*) {
  report_unsupported("hsa_code_symbol_get_info",
                     "deprecated since HSA 1.1: load the code object and ask its executable");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_code_object_iterate_symbols(
    hsa_code_object_t, hsa_status_t (*)(hsa_code_object_t code_object, hsa_code_symbol_t symbol, void* data), void*) {
  report_unsupported("hsa_code_object_iterate_symbols",
                     "deprecated since HSA 1.1: load the code object and ask its executable");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t, const char*, const char*, hsa_code_symbol_t*) {
  report_unsupported("hsa_code_object_get_symbol_from_name",
                     "deprecated since HSA 1.1: load the code object and ask its executable");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_program_create(hsa_machine_model_t, hsa_profile_t, hsa_default_float_rounding_mode_t, const char*,
                                    hsa_ext_program_t*) {
  report_unsupported("hsa_ext_program_create", "there is no HSAIL finalizer");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_program_destroy(hsa_ext_program_t) {
  report_unsupported("hsa_ext_program_destroy", "there is no HSAIL finalizer");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_program_add_module(hsa_ext_program_t, hsa_ext_module_t) {
  report_unsupported("hsa_ext_program_add_module", "there is no HSAIL finalizer");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_program_iterate_modules(
    hsa_ext_program_t, hsa_status_t (*)(hsa_ext_program_t program, hsa_ext_module_t module, void* data), void*) {
  report_unsupported("hsa_ext_program_iterate_modules", "there is no HSAIL finalizer");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_program_get_info(hsa_ext_program_t, hsa_ext_program_info_t, void*) {
  report_unsupported("hsa_ext_program_get_info", "there is no HSAIL finalizer");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ext_program_finalize(hsa_ext_program_t, hsa_isa_t, int32_t, hsa_ext_control_directives_t, const char*,
                                      hsa_code_object_type_t, hsa_code_object_t*) {
  report_unsupported("hsa_ext_program_finalize", "there is no HSAIL finalizer");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_spm_acquire(hsa_agent_t) {
  report_unsupported("hsa_amd_spm_acquire", "there are no hardware counters to stream");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_spm_release(hsa_agent_t) {
  report_unsupported("hsa_amd_spm_release", "there are no hardware counters to stream");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t, size_t, uint32_t*, uint32_t*, void*, bool*) {
  report_unsupported("hsa_amd_spm_set_dest_buffer", "there are no hardware counters to stream");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_portable_export_dmabuf(const void*, size_t, int*, uint64_t*) {
  report_unsupported("hsa_amd_portable_export_dmabuf", "HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED is false");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_amd_portable_close_dmabuf(int) {
  report_unsupported("hsa_amd_portable_close_dmabuf", "HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED is false");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_iterate_configuration(hsa_agent_t, hsa_ven_amd_pcs_iterate_configuration_callback_t,
                                                   void*) {
  report_unsupported("hsa_ven_amd_pcs_iterate_configuration", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t, hsa_ven_amd_pcs_method_kind_t, hsa_ven_amd_pcs_units_t, size_t, size_t,
                                    size_t, hsa_ven_amd_pcs_data_ready_callback_t, void*, hsa_ven_amd_pcs_t*) {
  report_unsupported("hsa_ven_amd_pcs_create", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t, hsa_agent_t, hsa_ven_amd_pcs_method_kind_t,
                                            hsa_ven_amd_pcs_units_t, size_t, size_t, size_t,
                                            hsa_ven_amd_pcs_data_ready_callback_t, void*, hsa_ven_amd_pcs_t*) {
  report_unsupported("hsa_ven_amd_pcs_create_from_id", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_destroy(hsa_ven_amd_pcs_t) {
  report_unsupported("hsa_ven_amd_pcs_destroy", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_start(hsa_ven_amd_pcs_t) {
  report_unsupported("hsa_ven_amd_pcs_start", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_stop(hsa_ven_amd_pcs_t) {
  report_unsupported("hsa_ven_amd_pcs_stop", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

hsa_status_t hsa_ven_amd_pcs_flush(hsa_ven_amd_pcs_t) {
  report_unsupported("hsa_ven_amd_pcs_flush", "there is no hardware to sample");
  return HSA_STATUS_ERROR;
}

// ROCr also refuses if scratch cannot be reclaimed: a dispatch's private memory is freed when it ends.
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t) {
  return is_gpu(agent) ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_ERROR_INVALID_AGENT;
}

}  // namespace kernloop::softgpu::api
