// The memory pools (HSA 1.0: regions) of the two agents.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <span>

namespace kernloop::softgpu {

enum class AgentId : uint64_t { kCpu = 1, kGpu = 2 };
inline constexpr hsa_agent_t kCpuAgent{static_cast<uint64_t>(AgentId::kCpu)};
inline constexpr hsa_agent_t kGpuAgent{static_cast<uint64_t>(AgentId::kGpu)};
constexpr bool is_agent(hsa_agent_t agent) {
  return agent.handle == kCpuAgent.handle || agent.handle == kGpuAgent.handle;
}
constexpr bool is_gpu(hsa_agent_t agent) {
  return agent.handle == kGpuAgent.handle;
}

struct Pool {
  uint64_t handle;
  const char* name;
  hsa_agent_t owner;
  hsa_amd_segment_t segment;
  uint32_t global_flags;  // hsa_amd_memory_pool_global_flag_t
  bool allocatable;
};

// In the order in which they are reported; the first global one of an agent is its default.
std::span<const Pool> pools();
const Pool* find_pool(uint64_t handle);
const Pool& device_pool();
const Pool& host_pool();

// Reported size of the pools: half of the host's memory (or of the container's limit) on the device, all of it on the
// host.
uint64_t pool_bytes(const Pool& pool);

inline constexpr uint32_t kGroupSegmentBytes = 64 * 1024;

}  // namespace kernloop::softgpu
