// Pool allocations and locked host ranges: the program's allocations, and the GPU's access to them.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "softgpu/engine/engine.h"
#include "softgpu/hsa/memory/address_allocator.h"
#include "softgpu/hsa/memory/memory_pools.h"

namespace kernloop::softgpu {

// Facts of a range that hsa_amd_pointer_info returns.
struct RangeInfo {
  hsa_amd_pointer_type_t type;
  uint64_t base;
  uint64_t size;
  hsa_agent_t owner;
  uint32_t global_flags;
  void* user_data;
};

class Memory {
 public:
  explicit Memory(AddressSpace& space);

  // From here on device memory begins uninitialised, and writes are recorded.
  void track_initialization(bool enabled) { tracks_initialization_ = enabled; }
  hsa_status_t allocate(const Pool& pool, uint64_t size, void** pointer);
  hsa_status_t release(void* pointer);
  // From here on of each allocation.
  void fail_first_release(bool enabled) { fails_first_release_ = enabled; }

  // Host memory of the program made accessible to the GPU, by whole pages as on hardware. Ranges may overlap and nest.
  hsa_status_t lock(void* pointer, uint64_t size);
  hsa_status_t unlock(void* pointer);

  std::optional<RangeInfo> find(const void* pointer) const;
  bool set_user_data(const void* pointer, void* user_data);

  hsa_status_t add_release_callback(void* pointer, hsa_amd_deallocation_callback_t callback, void* user_data);
  hsa_status_t remove_release_callback(void* pointer, hsa_amd_deallocation_callback_t callback);

  // Code objects: at `address` when given, in the code aperture otherwise.
  std::optional<Mapping> take_code(uint64_t size, uint64_t address);
  void give_back_code(Mapping mapping);

  // Shared with virtual memory (hsa_amd_vmem_*), whose reservations the pools must avoid.
  AddressAllocator& addresses_for(uint64_t address);
  AddressAllocator& device_addresses() { return device_addresses_; }
  bool charge(const Pool& pool, uint64_t size);
  void refund(const Pool& pool, uint64_t size);
  uint64_t available(const Pool& pool) const;

 private:
  struct ReleaseCallback {
    hsa_amd_deallocation_callback_t function;
    void* user_data;
  };
  struct Allocation {
    Mapping mapping;
    const Pool* pool;
    uint64_t ordinal;
    void* user_data = nullptr;
    bool release_failed = false;
    std::vector<ReleaseCallback> callbacks;
  };
  struct Locked {
    uint64_t size;  // requested size
    uint64_t page_base;
    uint64_t page_size;
    void* user_data = nullptr;
  };
  using Allocations = std::map<uint64_t, Allocation>;

  Allocations::const_iterator containing(uint64_t address) const;
  void map_locked(const Locked& locked);

  AddressSpace& space_;
  AddressAllocator device_addresses_{kDeviceAperture};
  AddressAllocator host_addresses_{kHostAperture};
  AddressAllocator code_addresses_{kCodeAperture};
  AddressAllocator other_addresses_{Aperture{0, 0}};  // exact requests outside our apertures

  mutable std::mutex mutex_;
  Allocations allocations_;
  std::multimap<uint64_t, Locked> locked_;  // by the pointer given
  uint64_t next_ordinal_ = 1;
  bool tracks_initialization_ = false, fails_first_release_ = false;
  uint64_t used_device_ = 0;
  uint64_t used_host_ = 0;
};

}  // namespace kernloop::softgpu
