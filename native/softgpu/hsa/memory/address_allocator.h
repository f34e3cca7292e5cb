// Hands out addresses of one aperture, the same ones for the same sequence of calls.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "softgpu/hsa/host/mapping.h"
#include "softgpu/hsa/memory/apertures.h"

namespace kernloop::softgpu {

class AddressAllocator {
 public:
  explicit AddressAllocator(Aperture aperture) : aperture_(aperture), next_(aperture.base) {}

  // Size is rounded to granules; an unmapped granule follows every block, so that running off its end faults. Blocks of
  // a huge page or more are aligned to one, as in the driver: the device library's malloc masks addresses to find the 2
  // MiB slab that a block is in.
  std::optional<Mapping> take(uint64_t size);
  // Exactly these addresses; none if any of them is in use. `take` avoids them until `give_back`.
  std::optional<Mapping> take_at(uint64_t base, uint64_t size);
  // `alignment`, a power of two, may exceed the usual one of a block of this size.
  std::optional<Mapping> reserve(uint64_t size, uint64_t alignment = kGranule);
  std::optional<Mapping> reserve_at(uint64_t base, uint64_t size);
  void give_back(Mapping mapping);

 private:
  using Map = std::optional<Mapping> (*)(uint64_t, uint64_t);
  std::optional<Mapping> choose(uint64_t size, uint64_t alignment, Map map);
  std::optional<Mapping> exact(uint64_t base, uint64_t size, Map map);

  const Aperture aperture_;
  std::mutex mutex_;
  uint64_t next_;                                   // nothing chosen yet from here on
  std::map<uint64_t, std::vector<uint64_t>> free_;  // by exact size, last freed first
  std::map<uint64_t, uint64_t> exact_;              // base -> size of what was asked for by address
};

}  // namespace kernloop::softgpu
