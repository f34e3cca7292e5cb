// The HSA headers, and the runtime's own functions as they were before us.
#pragma once

#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD  // hsa_api_trace.h then finds its neighbours without an "inc/" prefix
#endif
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>

#include <algorithm>
#include <cstring>

namespace kernloop::capture {

// Tables grow at their end: an older runtime's is shorter than ours (its missing slots read as null), a newer one's
// longer. What a newer one appends is out of reach of these headers (5.2.3): hsa_amd_vmem_* and hsa_amd_queue_create. A
// program that creates its queues with the latter shows no queue here, which the recorder reports as an error.
struct HsaOriginals {
  CoreApiTable core{};
  AmdExtTable amd{};

  // False when the tables are of another major version.
  bool copy_from(const HsaApiTable& table) {
    if (table.version.major_id != HSA_API_TABLE_MAJOR_VERSION || table.core_ == nullptr || table.amd_ext_ == nullptr ||
        table.core_->version.major_id != HSA_CORE_API_TABLE_MAJOR_VERSION ||
        table.amd_ext_->version.major_id != HSA_AMD_EXT_API_TABLE_MAJOR_VERSION) {
      return false;
    }
    std::memcpy(&core, table.core_, std::min<size_t>(sizeof core, table.core_->version.minor_id));
    std::memcpy(&amd, table.amd_ext_, std::min<size_t>(sizeof amd, table.amd_ext_->version.minor_id));
    return true;
  }
};

}  // namespace kernloop::capture
