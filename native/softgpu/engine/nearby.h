// What lies near an address that an access has missed, in words.
#pragma once

#include <cstdint>
#include <string>

#include "softgpu/engine/engine.h"

namespace kernloop::softgpu {

// "the 4096-byte allocation at 0x41b700100000 ('device allocation #3')"
std::string describe(const AddressSpace::Mapping& mapping);
// Why the access is none that may be made: "16 bytes past the end of the 4096-byte allocation at 0x…".
std::string describe_miss(const AddressSpace& space, uint64_t address, uint32_t bytes, bool write);
// Where an address lies that may be accessed.
std::string describe_place(const AddressSpace& space, uint64_t address);

}  // namespace kernloop::softgpu
