// Memory at chosen addresses. For that of the GPU, ROCr has virtual memory management since ROCm 6; older runtimes, and
// memory of the host, use shared virtual memory: pages of the host that the GPU reaches at the same address.
#pragma once

#include <memory>
#include <vector>

#include "replay/core/device/layout.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

class PlacedMemory {
 public:
  struct Agents {
    hsa_agent_t gpu{}, cpu{};
    bool host_reads_in_place = false;
  };
  // RUNTIME_INCOMPLETE on a runtime with neither.
  static Result<std::unique_ptr<PlacedMemory>> of(HsaLibrary& hsa, const Agents& agents, hsa_amd_memory_pool_t pool);
  // Memory that stays with the host, as that of hipHostMalloc does. Null if the runtime cannot place it.
  static std::unique_ptr<PlacedMemory> of_host(HsaLibrary& hsa, const Agents& agents);
  virtual ~PlacedMemory() = default;

  // Addresses without memory. Returns the reason if they are not available.
  virtual Status reserve(const AddressRange& range) = 0;
  virtual void give_back(const AddressRange& range) = 0;
  // Maps memory in `memory.range` of the reserved `window`; `unback` frees both. Gives the window back if it fails.
  virtual Status back(const Mapping& memory, const AddressRange& window) = 0;
  virtual void unback() = 0;
  // Before a launch: moves memory back to the GPU, if the host accessed it in between.
  virtual Status bring() { return Unit{}; }

  std::vector<AddressRange> ranges() const;
  bool holds(uint64_t address) const;

 protected:
  struct Mapped {
    AddressRange range, window;  // the memory, and the reservation around it
    hsa_amd_vmem_alloc_handle_t handle{};
  };
  std::vector<Mapped> mappings_;
};

}  // namespace kernloop::replay
