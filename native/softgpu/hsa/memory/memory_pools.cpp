#include "softgpu/hsa/memory/memory_pools.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "softgpu/hsa/memory/apertures.h"

namespace kernloop::softgpu {
namespace {

constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
constexpr uint32_t kCoarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
constexpr uint32_t kKernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;

// A CPU has three pools and a discrete GPU a coarse-grained one and its LDS, as ROCr reports them.
constexpr std::array kPools{
    Pool{11, "host fine-grained", kCpuAgent, HSA_AMD_SEGMENT_GLOBAL, kFine, true},
    Pool{12, "host kernarg", kCpuAgent, HSA_AMD_SEGMENT_GLOBAL, kFine | kKernarg, true},
    Pool{13, "host coarse-grained", kCpuAgent, HSA_AMD_SEGMENT_GLOBAL, kCoarse, true},
    Pool{21, "device", kGpuAgent, HSA_AMD_SEGMENT_GLOBAL, kCoarse, true},
    Pool{22, "group", kGpuAgent, HSA_AMD_SEGMENT_GROUP, 0, false},
};

uint64_t host_bytes() {
  const uint64_t physical =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");  // absent, or "max", where there is no limit
  uint64_t limit = 0;
  if (limit_file >> limit && limit != 0) return std::min(physical, limit);
  return physical;
}

}  // namespace

std::span<const Pool> pools() {
  return kPools;
}

const Pool* find_pool(uint64_t handle) {
  auto found = std::find_if(kPools.begin(), kPools.end(), [&](const Pool& pool) { return pool.handle == handle; });
  return found == kPools.end() ? nullptr : &*found;
}

const Pool& device_pool() {
  return kPools[3];
}
const Pool& host_pool() {
  return kPools[0];
}

uint64_t pool_bytes(const Pool& pool) {
  if (pool.segment == HSA_AMD_SEGMENT_GROUP) return kGroupSegmentBytes;
  static const uint64_t host = host_bytes() / kGranule * kGranule;
  return is_gpu(pool.owner) ? host / 2 / kGranule * kGranule : host;
}

}  // namespace kernloop::softgpu
