// hsa_amd_queue_create: queues by descriptors.
#include <algorithm>
#include <span>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/queues/packets.h"

namespace kernloop::softgpu::api {
namespace {

bool all_zero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

bool is_valid(const hsa_amd_compute_queue_params_t& compute) {
  return (compute.reserved[0] | compute.reserved[1] | compute.reserved[2]) == 0 &&
         (compute.cu_mask_count == 0 || compute.cu_mask != nullptr);
}

bool is_valid(const hsa_amd_queue_create_desc_t& desc) {
  return desc.version == HSA_AMD_QUEUE_CREATE_DESC_VERSION && desc.engine_type <= HSA_AMD_QUEUE_ENGINE_AIE &&
         desc.traffic_class == 0 && all_zero(desc.reserved_header) && all_zero(desc.reserved) &&
         desc.queue_size_bytes % sizeof(Packet) == 0;
}

hsa_status_t create_compute(hsa_agent_t agent, hsa_amd_queue_create_desc_t& desc) {
  const hsa_amd_compute_queue_params_t& compute = desc.engine.compute;
  if (!is_valid(compute)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto packets = static_cast<uint32_t>(desc.queue_size_bytes / sizeof(Packet));
  hsa_queue_t* queue = nullptr;
  hsa_status_t status = api::hsa_queue_create(agent, packets, compute.type, desc.callback, desc.callback_data,
                                              compute.private_segment_size, UINT32_MAX, &queue);
  if (status != HSA_STATUS_SUCCESS) return status;
  status = api::hsa_amd_queue_set_priority(queue, desc.priority);
  if (status == HSA_STATUS_SUCCESS)
    status = api::hsa_amd_queue_cu_set_mask(queue, compute.cu_mask_count, compute.cu_mask);
  if (status == HSA_STATUS_SUCCESS) {
    desc.queue = queue;
  } else {
    api::hsa_queue_destroy(queue);
  }
  return status;
}

hsa_status_t create(hsa_agent_t agent, hsa_amd_queue_create_desc_t& desc) {
  desc.queue = nullptr;
  if (!is_valid(desc)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // Compute is the only engine. The place of the ring makes no difference here.
  if (desc.engine_type != HSA_AMD_QUEUE_ENGINE_COMPUTE) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  return create_compute(agent, desc);
}

}  // namespace

hsa_status_t hsa_amd_queue_create(hsa_agent_t agent, hsa_amd_queue_create_desc_t* descs, uint32_t num_descs) {
  if (descs == nullptr || num_descs == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t first_error = HSA_STATUS_SUCCESS;
  for (hsa_amd_queue_create_desc_t& desc : std::span(descs, num_descs)) {
    const hsa_status_t status = create(agent, desc);
    if (first_error == HSA_STATUS_SUCCESS) first_error = status;
  }
  return first_error;
}

}  // namespace kernloop::softgpu::api
