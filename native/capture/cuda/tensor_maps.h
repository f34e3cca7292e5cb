// TMA descriptors: 128 opaque bytes that hold a global address. What the app encodes is remembered, so that a
// descriptor among the arguments of a launch leads to its memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "cuda/abi.h"

namespace kernloop::capture {

class TensorMaps {
 public:
  void encoded(const cuda::CUtensorMap& map, uint64_t global_address);
  // The addresses behind the descriptors in the bytes.
  std::vector<uint64_t> addresses_in(std::span<const uint8_t> bytes) const;

 private:
  static constexpr size_t kMaxMaps = 1u << 20;
  using Key = std::array<uint64_t, 16>;
  mutable std::mutex mutex_;
  std::map<Key, uint64_t> addresses_;
};

}  // namespace kernloop::capture
