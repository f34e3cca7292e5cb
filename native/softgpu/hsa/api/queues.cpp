// User-mode queues and the indices of their rings.
#include <vector>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/api/values.h"
#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

amd_queue_t& abi(const hsa_queue_t* queue) {
  return *reinterpret_cast<amd_queue_t*>(const_cast<hsa_queue_t*>(queue));
}
std::atomic_ref<uint64_t> write_index(const hsa_queue_t* queue) {
  return QueueMemory::index(abi(queue).write_dispatch_id);
}
std::atomic_ref<uint64_t> read_index(const hsa_queue_t* queue) {
  return QueueMemory::index(abi(queue).read_dispatch_id);
}

uint64_t cas_write_index(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  write_index(queue).compare_exchange_strong(expected, value);
  return expected;  // the old value
}

uint64_t handle_of(const hsa_queue_t* queue) {
  return reinterpret_cast<uint64_t>(queue);
}

std::shared_ptr<Queue> find(const hsa_queue_t* queue) {
  return runtime().queues.find(handle_of(queue));
}

hsa_status_t check_creation(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type, hsa_queue_t** queue) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (queue == nullptr || size == 0 || (size & (size - 1)) != 0 || type > HSA_QUEUE_TYPE_COOPERATIVE)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_gpu(agent)) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  uint32_t max = 0;
  api::hsa_agent_get_info(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &max);
  return size <= max ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

template <typename Created>
hsa_status_t publish_queue(Created created, hsa_queue_t** queue) {
  if (created == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *queue = created->handle();
  runtime().queues.add_as(handle_of(*queue), std::move(created));
  return HSA_STATUS_SUCCESS;
}

}  // namespace

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data), void* data,
                              uint32_t, uint32_t, hsa_queue_t** queue) {
  // Private and group segment sizes are hints; each dispatch gets what its packet asks for.
  if (hsa_status_t status = check_creation(agent, size, type, queue); status != HSA_STATUS_SUCCESS) return status;
  return publish_queue(runtime().create_queue(size, type, callback, data), queue);
}

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                            void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data),
                                            void* data, uint32_t, uint32_t, hsa_queue_t** queue) {
  if (hsa_status_t status = check_creation(agent, size, type, queue); status != HSA_STATUS_SUCCESS) return status;
  return publish_queue(runtime().create_intercept_queue(size, type, callback, data), queue);
}

hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue, hsa_amd_queue_intercept_handler handler, void* data) {
  if (queue == nullptr || handler == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto intercept = std::dynamic_pointer_cast<InterceptQueue>(find(queue));
  if (intercept == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  intercept->add(handler, data);
  return HSA_STATUS_SUCCESS;
}

// Notifies of queues that the runtime creates for itself. This runtime creates none.
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback, void*) {
  return callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type, uint32_t features,
                                   hsa_signal_t doorbell_signal, hsa_queue_t** queue) {
  if (queue == nullptr || size == 0 || (size & (size - 1)) != 0 || type > HSA_QUEUE_TYPE_SINGLE || features == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (find_pool(region.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
  if (!runtime().signals.valid(doorbell_signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  std::shared_ptr<QueueMemory> memory =
      QueueMemory::create(runtime().queue_addresses, runtime().space, runtime().signals, size, type, features, nullptr);
  if (memory == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  memory->use_doorbell(doorbell_signal);  // the program itself waits for it and takes the packets
  *queue = memory->handle();
  runtime().soft_queues.add_as(handle_of(*queue), std::move(memory));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (runtime().soft_queues.remove(handle_of(queue)) != nullptr) return HSA_STATUS_SUCCESS;
  return runtime().queues.remove(handle_of(queue)) != nullptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue) {
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto found = find(queue);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  found->inactivate();
  return HSA_STATUS_SUCCESS;
}

uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue) {
  return read_index(queue).load();
}
uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t* queue) {
  return read_index(queue).load();
}
uint64_t hsa_queue_load_write_index_scacquire(const hsa_queue_t* queue) {
  return write_index(queue).load();
}
uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue) {
  return write_index(queue).load();
}
void hsa_queue_store_write_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  write_index(queue).store(value);
}
void hsa_queue_store_write_index_screlease(const hsa_queue_t* queue, uint64_t value) {
  write_index(queue).store(value);
}
uint64_t hsa_queue_cas_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return cas_write_index(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_scacquire(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return cas_write_index(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_relaxed(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return cas_write_index(queue, expected, value);
}
uint64_t hsa_queue_cas_write_index_screlease(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {
  return cas_write_index(queue, expected, value);
}
uint64_t hsa_queue_add_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t value) {
  return write_index(queue).fetch_add(value);
}
uint64_t hsa_queue_add_write_index_scacquire(const hsa_queue_t* queue, uint64_t value) {
  return write_index(queue).fetch_add(value);
}
uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  return write_index(queue).fetch_add(value);
}
uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, uint64_t value) {
  return write_index(queue).fetch_add(value);
}
void hsa_queue_store_read_index_relaxed(const hsa_queue_t* queue, uint64_t value) {
  read_index(queue).store(value);
}
void hsa_queue_store_read_index_screlease(const hsa_queue_t* queue, uint64_t value) {
  read_index(queue).store(value);
}

// No compute unit can be left out: results are the same, and the mask is not stored.
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count, const uint32_t* cu_mask) {
  if (find(queue) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (num_cu_mask_count % 32 != 0 || (num_cu_mask_count != 0 && cu_mask == nullptr))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count, uint32_t* cu_mask) {
  if (find(queue) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (num_cu_mask_count == 0 || num_cu_mask_count % 32 != 0 || cu_mask == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint32_t units = 0;
  api::hsa_agent_get_info(kGpuAgent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), &units);
  for (uint32_t i = 0; i < num_cu_mask_count / 32; ++i) cu_mask[i] = i == 0 ? (1u << units) - 1 : 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, hsa_queue_info_attribute_t attribute, void* value) {
  if (find(queue) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_AMD_QUEUE_INFO_AGENT:
      return give(value, kGpuAgent);
    case HSA_AMD_QUEUE_INFO_DOORBELL_ID:  // a doorbell in hardware
      return HSA_STATUS_ERROR_INVALID_QUEUE;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  if (find(queue) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  // A hint: queues share the host's cores as its scheduler decides.
  return priority <= HSA_AMD_QUEUE_PRIORITY_HIGH ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// Times are always taken.
hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int) {
  return find(queue) != nullptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!runtime().signals.valid(signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  *time = {Signals::abi(signal).start_ts, Signals::abi(signal).end_ts};
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t* system_tick) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (system_tick == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *system_tick = agent_tick;  // one clock
  return HSA_STATUS_SUCCESS;
}

}  // namespace kernloop::softgpu::api
