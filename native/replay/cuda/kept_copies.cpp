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
// Smaller ranges are copied back as a whole: among them are constants, which no kernel is to write.
constexpr uint64_t kCopiedWhole = uint64_t{64} << 10;

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
                           "keeping a copy of " + archive::to_hex_number(copy.of.base));
        !copied)
      return copied.error();
  }
  return true;
}

Result<bool> KeptCopies::keep_host(const AddressRange& range) {
  if (free_host_bytes() / 2 < range.size) return false;
  const auto* bytes = reinterpret_cast<const uint8_t*>(range.base);
  host_copies_.emplace_back(range.base, archive::Buffer(bytes, bytes + range.size));
  return true;
}

Status KeptCopies::restore() {
  if (auto finished = staging_.finish(); !finished) return finished;
  for (const auto& [base, bytes] : host_copies_) {
    auto* memory = reinterpret_cast<uint8_t*>(base);
    if (std::memcmp(memory, bytes.data(), bytes.size()) != 0) std::memcpy(memory, bytes.data(), bytes.size());
  }
  for (const Copy& copy : copies_) {
    if (copy.of.size <= kCopiedWhole) {
      if (auto copied = context_.check(
              "cuMemcpyDtoDAsync",
              context_.driver().cuMemcpyDtoDAsync(copy.of.base, copy.at, copy.of.size, staging_.stream()),
              "restoring " + archive::to_hex_number(copy.of.base));
          !copied)
        return copied;
      continue;
    }
    uint64_t changed = 0;
    if (auto restored = kernels_.restore(copy.of.base, copy.at, copy.of.size, &changed); !restored) return restored;
  }
  return staging_.finish();
}

}  // namespace kernloop::replay
