#include "softgpu/hsa/host/mapping.h"

#include <sys/mman.h>

#include <utility>

namespace kernloop::softgpu {

namespace {

// Waves access memory far apart, and touch most of a large allocation: huge pages save faults and misses of the TLB.
// Hosts without them refuse, which changes nothing.
constexpr uint64_t kLarge = uint64_t{4} << 20;

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept : base_(other.base_), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (size_ != 0) ::munmap(reinterpret_cast<void*>(base_), size_);
}

std::optional<Mapping> Mapping::memory_at(uint64_t base, uint64_t size) {
  std::optional<Mapping> mapping = map(base, size, PROT_READ | PROT_WRITE);
  if (mapping && size >= kLarge) ::madvise(reinterpret_cast<void*>(base), size, MADV_HUGEPAGE);
  return mapping;
}

std::optional<Mapping> Mapping::reservation_at(uint64_t base, uint64_t size) {
  return map(base, size, PROT_NONE);
}

std::optional<Mapping> Mapping::map(uint64_t base, uint64_t size, int protection) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got =
      ::mmap(wanted, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return std::nullopt;
  if (got != wanted) {  // a kernel before 4.17 takes MAP_FIXED_NOREPLACE as a hint
    ::munmap(got, size);
    return std::nullopt;
  }
  return Mapping(base, size);
}

}  // namespace kernloop::softgpu
