// The app's allocations, by driver call. In addition to the core's map, it keeps the context that an allocation dies
// with, and the allocations that a call to free removed, in case that it fails.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "abi/cuda/driver.h"
#include "capture/core/allocation_map.h"
#include "capture/cuda/memory/address_space.h"

namespace kernloop::capture {

struct TrackedAllocation {
  Allocation allocation;
  cuda::CUcontext owner = nullptr;  // null: of no context
  uint64_t freed_by = 0;            // host memory: the host's address
};

// A variable of another module than the kernel's: it is no allocation, and comes with a capture that leads to it.
inline constexpr std::string_view kVariableApi = "cuModuleGetGlobal";

class TrackedMemory {
 public:
  explicit TrackedMemory(AllocationMap& allocations) : allocations_(allocations) {}

  void add(const TrackedAllocation& tracked);
  // Before the driver frees it: from then on another thread may be given the same address.
  std::optional<TrackedAllocation> take(uint64_t base);
  // Host memory by the host's address.
  std::optional<TrackedAllocation> take_host(uint64_t host_address);
  void context_gone(cuda::CUcontext context);

  // Memory mapped by hand.
  template <typename Change>
  void change_mappings(Change&& change) {
    std::lock_guard lock(mutex_);
    apply(change(space_));
  }

 private:
  void apply(const MappingChange& change);

  AllocationMap& allocations_;
  std::mutex mutex_;
  AddressSpace space_;
  std::unordered_map<uint64_t, TrackedAllocation> by_base_;
  std::unordered_map<uint64_t, uint64_t> base_by_host_;
};

}  // namespace kernloop::capture
