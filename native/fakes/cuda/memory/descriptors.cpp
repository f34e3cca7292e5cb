#include "fakes/cuda/memory/descriptors.h"

#include <cstring>
#include <map>
#include <mutex>

namespace kernloop::cuda::fake {
namespace {

constexpr uint64_t kMark = 0x746E73724D61704BULL;
constexpr uint64_t kMask = 0xA5A5'5A5A'C3C3'3C3CULL;

struct Textures {
  std::mutex mutex;
  std::map<CUtexObject, CUdeviceptr> live;
  CUtexObject next = 1;
};

Textures& textures() {
  static Textures* const kTextures = new Textures;
  return *kTextures;
}

}  // namespace

void encode_tensor_map(CUtensorMap* map, uint64_t address, uint32_t rank, const uint64_t* dimensions) {
  std::memset(map, 0, sizeof *map);
  map->opaque[0] = (address << 7 | address >> 57) ^ kMask;
  map->opaque[1] = kMark;
  map->opaque[2] = rank;
  for (uint32_t i = 0; i < rank; ++i) map->opaque[3 + i] = dimensions[i];
}

CUresult replace_address(CUtensorMap* map, uint64_t address) {
  if (map->opaque[1] != kMark) return CUDA_ERROR_INVALID_VALUE;
  map->opaque[0] = (address << 7 | address >> 57) ^ kMask;
  return CUDA_SUCCESS;
}

CUdeviceptr address_in_tensor_map(const CUtensorMap& map) {
  if (map.opaque[1] != kMark) return 0;
  const uint64_t turned = map.opaque[0] ^ kMask;
  return turned >> 7 | turned << 57;
}

CUtexObject add_texture(CUdeviceptr address) {
  const std::lock_guard lock(textures().mutex);
  textures().live[textures().next] = address;
  return textures().next++;
}

bool remove_texture(CUtexObject texture) {
  const std::lock_guard lock(textures().mutex);
  return textures().live.erase(texture) == 1;
}

CUdeviceptr address_of_texture(CUtexObject texture) {
  const std::lock_guard lock(textures().mutex);
  const auto found = textures().live.find(texture);
  return found == textures().live.end() ? 0 : found->second;
}

}  // namespace kernloop::cuda::fake
