// A tool as HSA_TOOLS_LIB names them. It counts queues and hands the intercept functions to the tests.
#include "softgpu/hsa/tests/test_tool.h"

namespace {

kernloop::softgpu::TestToolState state;
decltype(hsa_queue_create)* original_queue_create = nullptr;

hsa_status_t counting_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                   void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data,
                                   uint32_t private_size, uint32_t group_size, hsa_queue_t** queue) {
  ++state.queues_created;
  return original_queue_create(agent, size, type, callback, data, private_size, group_size, queue);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) kernloop::softgpu::TestToolState* test_tool_state() {
  return &state;
}

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t runtime_version, uint64_t,
                                                   const char* const*) {
  state = {};
  state.loads = 1;
  state.runtime_version = runtime_version;
  state.core_functions = (table->core_->version.minor_id - sizeof(ApiTableVersion)) / sizeof(void*);
  state.amd_functions = (table->amd_ext_->version.minor_id - sizeof(ApiTableVersion)) / sizeof(void*);
  const auto keep = [](const auto& amd) {
    state.intercept_create = amd.hsa_amd_queue_intercept_create_fn;
    state.intercept_register = amd.hsa_amd_queue_intercept_register_fn;
  };
  if (runtime_version == kernloop::rocr::kRocm52Major) {
    keep(*reinterpret_cast<kernloop::rocr::Rocm52AmdExtTable*>(table->amd_ext_));
  } else {
    keep(*table->amd_ext_);
  }
  table->core_->hsa_iterate_agents_fn(
      [](hsa_agent_t, void* count) {
        ++*static_cast<int*>(count);
        return HSA_STATUS_SUCCESS;
      },
      &state.agents_seen_in_on_load);
  original_queue_create = table->core_->hsa_queue_create_fn;
  table->core_->hsa_queue_create_fn = counting_queue_create;
  return true;
}

__attribute__((visibility("default"))) void OnUnload() {
  ++state.unloads;
}
}
