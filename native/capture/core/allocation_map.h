// Every live allocation of the app. Calls that allocate are rare beside dispatches: one mutex is enough.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "capture/core/allocation.h"

namespace kernloop::capture {

// Sorted by base, disjoint.
using AllocationList = std::vector<Allocation>;

// The allocation that holds the address, or nullptr.
const Allocation* find_allocation(const AllocationList& list, uint64_t address);

class AllocationMap {
 public:
  void add(Allocation allocation);
  // False when nothing starts there.
  bool remove(uint64_t base);
  // A copy. Overlapping allocations (host memory locked twice) are merged into one.
  AllocationList snapshot() const;

 private:
  struct Entry {
    Allocation allocation;
    uint32_t references = 1;  // the same range may be locked several times
  };
  mutable std::mutex mutex_;
  std::map<uint64_t, Entry> entries_;
  uint64_t next_ordinal_ = 1;
};

}  // namespace kernloop::capture
