// 128-bit checksums of memory: fast enough to run over everything a program allocated. They detect accidents, not
// adversaries.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <span>

namespace kernloop::capture {

struct Checksum {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Checksum&) const = default;
};

inline Checksum checksum(std::span<const uint8_t> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

}  // namespace kernloop::capture
