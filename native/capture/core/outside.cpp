#include "capture/core/outside.h"

#include <algorithm>

namespace kernloop::capture {

std::optional<Refusal> Outside::checksum_of(const Allocation& allocation, Checksum* result) {
  buffer_.resize(kSnapshotChunkBytes);
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (uint64_t offset = 0; offset < allocation.size; offset += kSnapshotChunkBytes) {
    const std::span<uint8_t> chunk(buffer_.data(), std::min(kSnapshotChunkBytes, allocation.size - offset));
    if (auto refusal = device_.read(allocation, offset, chunk)) return refusal;
    XXH3_128bits_update(&state, chunk.data(), chunk.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  *result = {hash.low64, hash.high64};
  return std::nullopt;
}

std::optional<Refusal> Outside::read_before() {
  before_.assign(allocations_.size(), Checksum{});
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (scope_.contains(i)) continue;
    if (auto refusal = checksum_of(allocations_[i], &before_[i])) return refusal;
  }
  return std::nullopt;
}

std::optional<Refusal> Outside::compare_after(std::vector<Allocation>* changed) {
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (scope_.contains(i)) continue;
    Checksum now;
    if (auto refusal = checksum_of(allocations_[i], &now)) return refusal;
    if (now != before_[i]) changed->push_back(allocations_[i]);
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
