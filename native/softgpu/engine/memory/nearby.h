// Describes the surroundings of an address that an access has missed.
#pragma once

#include <cstdint>
#include <string>

#include "softgpu/engine/memory/address_space.h"

namespace kernloop::softgpu {

// "the 4096-byte allocation at 0x41b700100000 ('device allocation #3')"
std::string describe(const AddressSpace::Mapping& mapping);
// Reason why the access is not allowed: "16 bytes past the end of the 4096-byte allocation at 0x…".
std::string describe_miss(const AddressSpace& space, uint64_t address, uint32_t bytes, bool write);
// Describes the place of an accessible address.
std::string describe_place(const AddressSpace& space, uint64_t address);

}  // namespace kernloop::softgpu
