// Memory that the app maps by hand (cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess). Every run of mapped,
// accessible bytes that follow each other in one reservation counts as one allocation: allocators that grow a segment
// piece by piece hand out tensors that cross the pieces.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture/core/allocation.h"

namespace kernloop::capture {

// `shared`: other processes may write it.
struct MappedRun {
  uint64_t base = 0, size = 0;
  bool shared = false;
  bool operator==(const MappedRun&) const = default;
};

struct MappingChange {
  std::vector<MappedRun> gone, added;
};

// Not thread-safe. Nothing here fails: calls come from the driver, which has accepted them.
class AddressSpace {
 public:
  void reserve(uint64_t base, uint64_t size);
  MappingChange release(uint64_t base);
  void handle_imported(uint64_t handle);
  void handle_released(uint64_t handle);
  MappingChange map(uint64_t base, uint64_t size, uint64_t handle);
  MappingChange set_access(uint64_t base, uint64_t size, bool accessible);
  MappingChange unmap(uint64_t base, uint64_t size);

 private:
  struct Mapping {
    uint64_t size = 0;
    bool accessible = false;
    bool shared = false;
  };
  struct Reservation {
    uint64_t size = 0;
    std::map<uint64_t, Mapping> mappings;  // by base
    std::vector<MappedRun> runs;           // last reported runs
  };
  Reservation* reservation_of(uint64_t address);
  static MappingChange update(Reservation& reservation);

  std::map<uint64_t, Reservation> reservations_;  // by base
  std::map<uint64_t, uint32_t> imported_;         // handle to the number of imports
};

}  // namespace kernloop::capture
