// Copies of restored memory on the device: they restore a kernel's writes without the archive.
#pragma once

#include <vector>

#include "replay/core/device/layout.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

class PoolCopies {
 public:
  PoolCopies(const HsaLibrary& hsa, hsa_amd_memory_pool_t pool) : hsa_(hsa), pool_(pool) {}
  PoolCopies(const PoolCopies&) = delete;
  PoolCopies& operator=(const PoolCopies&) = delete;

  // False if the device has no room for a copy.
  Result<bool> keep(const AddressRange& range);
  // Puts back all that was kept.
  Status restore();
  // Remembers the 1 MiB pieces in which memory differs from the copies. Through the host: once a kernel, not once a
  // launch.
  Status learn_written();
  // Puts back what was learnt.
  Status restore_written();
  // Drops copies of memory that no longer exists.
  void forget_outside(const std::vector<AddressRange>& ranges);
  // Not on a device that was lost.
  void free();

 private:
  struct Copy {
    AddressRange of;
    void* at = nullptr;
  };
  Status copy(uint64_t to, const void* from, uint64_t bytes, const char* doing) const;
  Status learn_written(const Copy& copy);

  const HsaLibrary& hsa_;
  const hsa_amd_memory_pool_t pool_;
  std::vector<Copy> copies_;
  std::vector<AddressRange> written_;  // sorted, disjoint
};

}  // namespace kernloop::replay
