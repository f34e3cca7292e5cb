// Reservations, memory handles and mappings behind hsa_amd_vmem_*.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "softgpu/hsa/memory/memory.h"

namespace kernloop::softgpu {

class VirtualMemory {
 public:
  VirtualMemory(AddressSpace& space, Memory& memory);

  // At any address if `address` is 0, or if it is taken.
  hsa_status_t reserve(uint64_t size, uint64_t address, uint64_t alignment, uint64_t* base);
  hsa_status_t free(uint64_t base, uint64_t size);
  hsa_status_t create_handle(const Pool& pool, uint64_t size, hsa_amd_memory_type_t type, uint64_t* handle);
  // A handle is released as often as it was created, retained and imported.
  hsa_status_t release_handle(uint64_t handle);
  hsa_status_t retain_handle(uint64_t address, uint64_t* handle);
  // The memory as a file descriptor, which is the caller's: other processes may import it, too.
  hsa_status_t export_handle(uint64_t handle, int* file) const;
  hsa_status_t import_handle(int file, uint64_t* handle);
  hsa_status_t handle_properties(uint64_t handle, const Pool** pool, hsa_amd_memory_type_t* type) const;
  hsa_status_t map(uint64_t address, uint64_t size, uint64_t offset, uint64_t handle);
  hsa_status_t unmap(uint64_t address, uint64_t size);
  hsa_status_t set_access(uint64_t address, uint64_t size, std::span<const hsa_amd_memory_access_desc_t> access);
  hsa_status_t get_access(uint64_t address, hsa_agent_t agent, hsa_access_permission_t* permission) const;

  std::optional<RangeInfo> find(const void* pointer) const;

 private:
  // Physical memory: a file in memory, alive while the handle or a mapping is.
  struct Physical {
    ~Physical();
    Memory& memory;
    const Pool& pool;
    const uint64_t size;
    const int file;
    const hsa_amd_memory_type_t type;
    const uint64_t handle;
    const bool is_foreign = false;  // imported: another process has allocated it
  };
  struct Handle {
    std::shared_ptr<Physical> physical;
    uint64_t references;
  };
  struct Mapped {
    uint64_t size;
    std::shared_ptr<Physical> physical;
    int cpu_permission = 0;  // hsa_access_permission_t, 0: none
    int gpu_permission = 0;
  };
  using Mappings = std::map<uint64_t, Mapped>;

  bool reserved(uint64_t address, uint64_t size) const;
  void reference(const std::shared_ptr<Physical>& physical);
  std::shared_ptr<Physical> find_file(int file) const;
  // The mappings that together are exactly [address, address+size); false if there are none.
  bool exact(uint64_t address, uint64_t size, Mappings::iterator& first, Mappings::iterator& last);

  AddressSpace& space_;
  Memory& memory_;
  mutable std::mutex mutex_;
  std::map<uint64_t, Mapping> reservations_;
  std::map<uint64_t, Handle> handles_;
  Mappings mappings_;
  uint64_t next_handle_ = 1;
};

}  // namespace kernloop::softgpu
