#include "capture/hsa/host_buffer.h"

#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"

namespace kernloop::capture {
namespace {

struct Search {
  const HsaOriginals* hsa;
  hsa_agent_t host{};
  std::optional<hsa_amd_memory_pool_t> pool;
};

// Memory for kernel arguments: every GPU can be given access to it.
hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
  Search& search = *static_cast<Search*>(data);
  const auto& amd = search.hsa->amd;
  uint32_t segment = 0, flags = 0;
  amd.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  amd.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) == 0) return HSA_STATUS_SUCCESS;
  search.pool = pool;
  return HSA_STATUS_INFO_BREAK;
}

hsa_status_t take_agent(hsa_agent_t agent, void* data) {
  Search& search = *static_cast<Search*>(data);
  hsa_device_type_t type = HSA_DEVICE_TYPE_GPU;
  search.hsa->core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type != HSA_DEVICE_TYPE_CPU) return HSA_STATUS_SUCCESS;
  search.host = agent;
  search.hsa->amd.hsa_amd_agent_iterate_memory_pools_fn(agent, take_pool, data);
  return search.pool ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

}  // namespace

Error hsa_error(const char* call, hsa_status_t status) {
  return {"DEVICE_ERROR", std::string(call) + " returned " + to_hex_number(static_cast<uint64_t>(status)),
          "see the agent's log"};
}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  std::swap(hsa_, other.hsa_);
  std::swap(host_, other.host_);
  std::swap(data_, other.data_);
  return *this;
}

HostBuffer::~HostBuffer() {
  if (data_ != nullptr) hsa_->amd.hsa_amd_memory_pool_free_fn(data_);
}

Result<HostBuffer> HostBuffer::create(const HsaOriginals& hsa, hsa_agent_t device, size_t bytes) {
  Search search{&hsa, {}, std::nullopt};
  hsa.core.hsa_iterate_agents_fn(take_agent, &search);
  if (!search.pool) return hsa_error("hsa_iterate_agents", HSA_STATUS_ERROR_INVALID_REGION);
  HostBuffer buffer;
  buffer.hsa_ = &hsa;
  buffer.host_ = search.host;
  void* memory = nullptr;
  hsa_status_t status = hsa.amd.hsa_amd_memory_pool_allocate_fn(*search.pool, bytes, 0, &memory);
  if (status != HSA_STATUS_SUCCESS) return hsa_error("hsa_amd_memory_pool_allocate", status);
  buffer.data_ = static_cast<uint8_t*>(memory);
  status = hsa.amd.hsa_amd_agents_allow_access_fn(1, &device, nullptr, memory);
  if (status != HSA_STATUS_SUCCESS) return hsa_error("hsa_amd_agents_allow_access", status);
  return buffer;
}

}  // namespace kernloop::capture
