#include "replay/cuda/kept_copies.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace kernloop::replay {

using namespace cuda;

namespace {

constexpr uint64_t kPieceBytes = uint64_t{256} << 20;
// Left to the driver, which takes memory for local variables and for its heaps at a launch.
constexpr uint64_t kDeviceReserve = uint64_t{1} << 30;
// Smaller ranges are copied back as a whole: constants, which no kernel writes, are among them.
constexpr uint64_t kCopiedWhole = uint64_t{64} << 10;
// Granularity at which a kernel's writes are remembered.
constexpr uint64_t kWrittenGrain = uint64_t{1} << 20;

uint64_t free_host_bytes() {
  const long pages = ::sysconf(_SC_AVPHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(bytes) : 0;
}

}  // namespace

KeptCopies::~KeptCopies() {
  if (context_.abandoned()) return;
  for (const Copy& copy : copies_) free(copy);
}

void KeptCopies::free(const Copy& copy) {
  if (copy.pinned) {
    context_.driver().cuMemFreeHost(copy.pinned);
  } else if (copy.at) {
    context_.driver().cuMemFree(copy.at);
  }
}

Result<bool> KeptCopies::allocate(Copy& copy) {
  const Driver& driver = context_.driver();
  size_t free = 0, total = 0;
  if (auto asked = context_.check("cuMemGetInfo", driver.cuMemGetInfo(&free, &total), "asking for memory"); !asked)
    return asked.error();
  if (free >= copy.of.size + kDeviceReserve) {
    const CUresult result = driver.cuMemAlloc(&copy.at, copy.of.size);
    if (result == CUDA_SUCCESS) return true;
    if (result != CUDA_ERROR_OUT_OF_MEMORY) return context_.error("cuMemAlloc", result, "keeping a copy");
  }
  if (free_host_bytes() / 2 < copy.of.size) return false;
  if (driver.cuMemHostAlloc(&copy.pinned, copy.of.size, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) {
    copy.pinned = nullptr;
    return false;
  }
  if (auto seen = context_.check("cuMemHostGetDevicePointer",
                                 driver.cuMemHostGetDevicePointer(&copy.at, copy.pinned, 0), "keeping a copy");
      !seen)
    return seen.error();
  return true;
}

Result<bool> KeptCopies::keep(const AddressRange& range) {
  if (auto finished = staging_.finish(); !finished) return finished.error();
  auto kept = memory_.is_host(range.base) ? keep_host(range) : keep_on_device(range);
  keeps_ = true;
  keeps_too_little_ = keeps_too_little_ || !kept || !*kept;
  return kept;
}

Result<bool> KeptCopies::keep_on_device(const AddressRange& range) {
  std::vector<Copy> copies;
  for (uint64_t offset = 0; offset < range.size; offset += kPieceBytes) {
    copies.push_back({{range.base + offset, std::min(kPieceBytes, range.size - offset)}, 0, nullptr});
    auto allocated = allocate(copies.back());
    if (!allocated || !*allocated) {
      for (const Copy& copy : copies) free(copy);
      return allocated;
    }
  }
  for (const Copy& copy : copies) {
    copies_.push_back(copy);
    if (auto copied =
            context_.check("cuMemcpyDtoDAsync",
                           context_.driver().cuMemcpyDtoDAsync(copy.at, copy.of.base, copy.of.size, staging_.stream()),
                           "keeping a copy of " + to_hex_number(copy.of.base));
        !copied)
      return copied.error();
  }
  return true;
}

Result<bool> KeptCopies::keep_host(const AddressRange& range) {
  if (free_host_bytes() / 2 < range.size) return false;
  const auto* bytes = reinterpret_cast<const uint8_t*>(range.base);
  host_copies_.emplace_back(range.base, Buffer(bytes, bytes + range.size));
  return true;
}

Status KeptCopies::copy_back(const Copy& copy, const AddressRange& range) {
  return context_.check("cuMemcpyDtoDAsync",
                        context_.driver().cuMemcpyDtoDAsync(range.base, copy.at + (range.base - copy.of.base),
                                                            range.size, staging_.stream()),
                        "restoring " + to_hex_number(range.base));
}

void KeptCopies::remember_written(const AddressRange& range) {
  written_.push_back(range);
  written_ = merge_ranges(std::move(written_));
}

Status KeptCopies::restore_differing(const Copy& copy) {
  const uint64_t step = knows_written_ ? copy.of.size : kWrittenGrain;
  for (uint64_t offset = 0; offset < copy.of.size; offset += step) {
    const AddressRange piece{copy.of.base + offset, std::min(step, copy.of.size - offset)};
    uint64_t changed = 0;
    if (auto restored = kernels_.restore(piece.base, copy.at + offset, piece.size, &changed); !restored)
      return restored;
    if (changed == 0) continue;
    if (!knows_written_) remember_written(piece);
    surprised_ = surprised_ || knows_written_;
  }
  return Unit{};
}

void KeptCopies::restore_host() {
  for (const auto& [base, bytes] : host_copies_) {
    auto* memory = reinterpret_cast<uint8_t*>(base);
    if (std::memcmp(memory, bytes.data(), bytes.size()) != 0) std::memcpy(memory, bytes.data(), bytes.size());
  }
}

Status KeptCopies::restore() {
  if (auto finished = staging_.finish(); !finished) return finished;
  restore_host();
  if (auto written = enqueue_restore_of_written(); !written) return written;
  if (auto finished = staging_.finish(); !finished) return finished;
  surprised_ = false;
  for (const Copy& copy : copies_) {
    if (copy.of.size <= kCopiedWhole) continue;
    if (auto restored = restore_differing(copy); !restored) return restored;
  }
  // The kernel wrote elsewhere this time: look again, in pieces, after the next launch.
  knows_written_ = !surprised_;
  return staging_.finish();
}

Status KeptCopies::enqueue_restore_of_written() {
  for (const Copy& copy : copies_) {
    if (copy.of.size <= kCopiedWhole) {
      if (auto copied = copy_back(copy, copy.of); !copied) return copied;
      continue;
    }
    for (const AddressRange& range : written_) {
      const uint64_t begin = std::max(range.base, copy.of.base), end = std::min(range.end(), copy.of.end());
      if (begin >= end) continue;
      if (auto copied = copy_back(copy, {begin, end - begin}); !copied) return copied;
    }
  }
  return Unit{};
}

}  // namespace kernloop::replay
