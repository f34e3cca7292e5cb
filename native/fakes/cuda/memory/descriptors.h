// Handles and blobs that hide a global address: texture and surface objects, tensor maps.
#pragma once

#include <cstdint>

#include "abi/cuda/driver.h"

namespace kernloop::cuda::fake {

// Writes the 128 bytes in a form from which the address cannot be read without knowing it, as on hardware.
void encode_tensor_map(CUtensorMap* map, uint64_t address, uint32_t rank, const uint64_t* dimensions);
CUresult replace_address(CUtensorMap* map, uint64_t address);
CUdeviceptr address_in_tensor_map(const CUtensorMap& map);  // 0: it was never encoded

CUtexObject add_texture(CUdeviceptr address);
bool remove_texture(CUtexObject texture);
CUdeviceptr address_of_texture(CUtexObject texture);  // 0: none

}  // namespace kernloop::cuda::fake
