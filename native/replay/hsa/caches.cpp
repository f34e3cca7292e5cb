#include "replay/hsa/caches.h"

#include <algorithm>
#include <array>

namespace kernloop::replay {

uint64_t largest_cache_bytes(const HsaLibrary& hsa, hsa_agent_t agent) {
  struct Search {
    const HsaLibrary& hsa;
    uint64_t largest = 0;
  } search{hsa};
  hsa.hsa_agent_iterate_caches(
      agent,
      [](hsa_cache_t cache, void* data) {
        Search& search = *static_cast<Search*>(data);
        uint32_t bytes = 0;
        if (search.hsa.hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &bytes) == HSA_STATUS_SUCCESS)
          search.largest = std::max<uint64_t>(search.largest, bytes);
        return HSA_STATUS_SUCCESS;
      },
      &search);
  std::array<uint32_t, 4> by_level{};
  if (hsa.hsa_agent_get_info(agent, HSA_AGENT_INFO_CACHE_SIZE, by_level.data()) != HSA_STATUS_SUCCESS)
    return search.largest;
  return std::max<uint64_t>(search.largest, *std::max_element(by_level.begin(), by_level.end()));
}

uint64_t bytes_to_overwrite(uint64_t largest_cache, uint64_t least) {
  return std::max(3 * largest_cache, least);
}

Status CacheEvictor::overwrite() {
  const auto failed = [&](const char* call, hsa_status_t status) {
    return Error{status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? "OUT_OF_MEMORY" : "DEVICE_ERROR",
                 "overwriting " + std::to_string(bytes_) +
                     " bytes to make the caches cold failed: " + hsa_.describe(call, status),
                 "leave --cache out, or free memory of the device"};
  };
  if (!memory_) {
    const hsa_status_t status = hsa_.hsa_amd_memory_pool_allocate(pool_, bytes_, 0, &memory_);
    if (status != HSA_STATUS_SUCCESS) return failed("hsa_amd_memory_pool_allocate", status);
  }
  const hsa_status_t status = hsa_.hsa_amd_memory_fill(memory_, ++times_, bytes_ / sizeof times_);
  if (status != HSA_STATUS_SUCCESS) return failed("hsa_amd_memory_fill", status);
  return Unit{};
}

void CacheEvictor::free() {
  if (memory_) hsa_.hsa_amd_memory_pool_free(memory_);
  memory_ = nullptr;
}

}  // namespace kernloop::replay
