// Describes the surroundings of an address that an access has missed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "softgpu/engine/memory/address_space.h"

namespace kernloop::softgpu {

// The last mapping whose base is not above the address.
inline auto at_or_below(const std::vector<AddressSpace::Mapping>& mappings, uint64_t address) {
  const auto above = std::upper_bound(mappings.begin(), mappings.end(), address,
                                      [](uint64_t value, const AddressSpace::Mapping& m) { return value < m.base; });
  return above == mappings.begin() ? mappings.end() : above - 1;
}

// "the 4096-byte allocation at 0x41b700100000 ('device allocation #3')"
std::string describe(const AddressSpace::Mapping& mapping);
// Reason why the access is not allowed: "16 bytes past the end of the 4096-byte allocation at 0x…".
std::string describe_miss(const AddressSpace& space, uint64_t address, uint32_t bytes, bool write);
// Describes the place of an accessible address.
std::string describe_place(const AddressSpace& space, uint64_t address);

}  // namespace kernloop::softgpu
