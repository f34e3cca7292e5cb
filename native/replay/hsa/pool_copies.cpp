#include "replay/hsa/pool_copies.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kWrittenGrain = uint64_t{1} << 20;

}  // namespace

Result<bool> PoolCopies::keep(const AddressRange& range) {
  Copy made{range, nullptr};
  const hsa_status_t status = hsa_.hsa_amd_memory_pool_allocate(pool_, range.size, 0, &made.at);
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES) return false;
  if (status != HSA_STATUS_SUCCESS) {
    return Error{"DEVICE_ERROR",
                 "keeping a copy of captured memory failed: " + hsa_.describe("hsa_amd_memory_pool_allocate", status),
                 "leave --cache out"};
  }
  copies_.push_back(made);
  if (auto copied = copy(reinterpret_cast<uint64_t>(made.at), reinterpret_cast<const void*>(range.base), range.size,
                         "keeping a copy of ");
      !copied)
    return copied.error();
  return true;
}

Status PoolCopies::copy(uint64_t to, const void* from, uint64_t bytes, const char* doing) const {
  const hsa_status_t status = hsa_.hsa_memory_copy(reinterpret_cast<void*>(to), from, bytes);
  if (status == HSA_STATUS_SUCCESS) return Unit{};
  return Error{"DEVICE_ERROR",
               doing + std::to_string(bytes) + " bytes, to " + to_hex_number(to) +
                   ", failed: " + hsa_.describe("hsa_memory_copy", status),
               "see the runtime's message above; `kernloop doctor` checks the device"};
}

Status PoolCopies::restore() {
  for (const Copy& kept : copies_) {
    if (auto copied = copy(kept.of.base, kept.at, kept.of.size, "restoring "); !copied) return copied;
  }
  return Unit{};
}

Status PoolCopies::learn_written() {
  for (const Copy& kept : copies_) {
    if (auto learnt = learn_written(kept); !learnt) return learnt;
  }
  written_ = merge_ranges(std::move(written_));
  return Unit{};
}

Status PoolCopies::learn_written(const Copy& kept) {
  std::vector<uint8_t> before(kWrittenGrain), now(kWrittenGrain);
  const auto fetch = [&](std::vector<uint8_t>& into, const void* from, uint64_t bytes) {
    return copy(reinterpret_cast<uint64_t>(into.data()), from, bytes, "reading ");
  };
  for (uint64_t offset = 0; offset < kept.of.size; offset += kWrittenGrain) {
    const AddressRange piece{kept.of.base + offset, std::min(kWrittenGrain, kept.of.size - offset)};
    if (auto read = fetch(before, static_cast<const uint8_t*>(kept.at) + offset, piece.size); !read) return read;
    if (auto read = fetch(now, reinterpret_cast<const void*>(piece.base), piece.size); !read) return read;
    if (std::memcmp(before.data(), now.data(), piece.size) != 0) written_.push_back(piece);
  }
  return Unit{};
}

Status PoolCopies::restore_written() {
  for (const Copy& kept : copies_) {
    for (const AddressRange& range : written_) {
      const uint64_t begin = std::max(range.base, kept.of.base), end = std::min(range.end(), kept.of.end());
      if (begin >= end) continue;
      const uint8_t* from = static_cast<const uint8_t*>(kept.at) + (begin - kept.of.base);
      if (auto copied = copy(begin, from, end - begin, "restoring "); !copied) return copied;
    }
  }
  return Unit{};
}

void PoolCopies::forget_outside(const std::vector<AddressRange>& ranges) {
  std::erase_if(copies_, [&](const Copy& kept) {
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) {
      return kept.of.base >= range.base && kept.of.end() <= range.end();
    });
    if (!inside) hsa_.hsa_amd_memory_pool_free(kept.at);
    return !inside;
  });
}

void PoolCopies::free() {
  for (const Copy& kept : copies_) hsa_.hsa_amd_memory_pool_free(kept.at);
  copies_.clear();
}

}  // namespace kernloop::replay
