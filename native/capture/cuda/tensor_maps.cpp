#include "capture/cuda/tensor_maps.h"

#include <cstring>

namespace kernloop::capture {

void TensorMaps::encoded(const cuda::CUtensorMap& map, uint64_t global_address) {
  Key key;
  std::memcpy(key.data(), &map, sizeof key);
  std::lock_guard lock(mutex_);
  // Programs encode few, or the same again and again; one that does neither starts anew.
  if (addresses_.size() >= kMaxMaps) addresses_.clear();
  addresses_[key] = global_address;
}

std::vector<uint64_t> TensorMaps::addresses_in(std::span<const uint8_t> bytes) const {
  std::vector<uint64_t> found;
  std::lock_guard lock(mutex_);
  if (addresses_.empty()) return found;
  Key key;
  // The hardware wants them aligned to 64 bytes, but a piece of the arguments may start anywhere.
  for (size_t at = 0; at + sizeof key <= bytes.size(); at += 8) {
    std::memcpy(key.data(), bytes.data() + at, sizeof key);
    const auto known = addresses_.find(key);
    if (known != addresses_.end()) found.push_back(known->second);
  }
  return found;
}

}  // namespace kernloop::capture
