// Memory put back between the launch that warms the caches and the one that counts: only what the first one wrote, once
// that is known for a kernel.
#pragma once

#include <optional>
#include <set>

#include "replay/core/device/device_parts.h"
#include "replay/hsa/pool_copies.h"

namespace kernloop::replay {

class WarmCopies final : public KeptMemory {
 public:
  WarmCopies(const HsaLibrary& hsa, hsa_amd_memory_pool_t pool) : copies_(hsa, pool) {}

  Result<bool> keep(const AddressRange& range) override;
  Status restore() override;
  Result<bool> restore_written() override;

  void launches(uint64_t kernel) { last_kernel_ = kernel; }
  // The code is gone, and with it the copies of memory outside `regions`.
  void forget_code(const std::vector<AddressRange>& regions);
  // Not on a device that was lost.
  void free() { copies_.free(); }

 private:
  PoolCopies copies_;
  bool keeps_too_little_ = false;        // a launch may write memory that the copies cannot restore
  std::optional<uint64_t> last_kernel_;  // the last launched kernel
  std::set<uint64_t> learnt_kernels_;    // kernels whose writes copies_ knows
};

}  // namespace kernloop::replay
