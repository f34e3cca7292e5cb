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
  // The same for a range that the runtime has just handed out: an allocation known there was freed unseen.
  void add_in_place(Allocation allocation);
  // The same for a range that the runtime names several times, in parts and as a whole: overlapping ranges of one call
  // are merged.
  void add_joined(Allocation allocation);
  // False if nothing starts there.
  bool remove(uint64_t base) { return take(base).has_value(); }
  // Removes an allocation and returns it, for put_back() if the runtime does not free it.
  std::optional<Allocation> take(uint64_t base);
  // Removes every allocation in the range, however often it was added.
  std::vector<Allocation> take_within(uint64_t base, uint64_t size);
  void put_back(const Allocation& allocation);
  // The allocation that starts there is only these parts of it any more, each {offset, size}.
  void keep_parts(uint64_t base, const std::vector<ByteRange>& parts);
  // The host stores to the allocation that holds the address.
  void mark_host_written(uint64_t address);
  // A copy. Overlapping allocations (host memory locked twice) are merged into one.
  AllocationList snapshot() const;

 private:
  struct Entry {
    Allocation allocation;
    uint32_t references = 1;  // the same range may be locked several times
  };
  using Entries = std::map<uint64_t, Entry>;
  void insert(const Allocation& allocation);

  mutable std::mutex mutex_;
  Entries entries_;
  uint64_t next_ordinal_ = 1;
};

}  // namespace kernloop::capture
