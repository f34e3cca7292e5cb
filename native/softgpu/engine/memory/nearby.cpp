#include "softgpu/engine/memory/nearby.h"

#include <cstdio>

namespace kernloop::softgpu {

namespace {

using Mapping = AddressSpace::Mapping;

// Members and first elements behind a null pointer. No memory is this low: Linux maps none below 64 KiB.
constexpr uint64_t kNullBytes = 64 << 10;

std::string describe_range(uint64_t base, uint64_t size, const std::string& label) {
  char text[80];
  std::snprintf(text, sizeof text, "the %llu-byte allocation at 0x%llx", static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(base));
  return text + (" ('" + label + "')");
}

uint64_t size_of(const Mapping& mapping) {
  return mapping.used ? mapping.used : mapping.size;
}

}  // namespace

std::string describe(const Mapping& mapping) {
  return describe_range(mapping.base, size_of(mapping), mapping.label);
}

std::string describe_miss(const AddressSpace& space, uint64_t address, uint32_t bytes, bool write) {
  const auto mappings = space.snapshot();
  if (const auto freed = space.freed_at(address)) {
    const auto now = at_or_below(*mappings, address);
    if (now == mappings->end() || address - now->base >= now->size) {
      return std::to_string(address - freed->base) + " bytes into " +
             describe_range(freed->base, freed->size, freed->label) + ", which has been freed";
    }
  }
  if (address < kNullBytes) return "through a null pointer";
  if (mappings->empty()) return "nothing is mapped on the device";
  const auto below = at_or_below(*mappings, address);
  if (below != mappings->end() && address - below->base < below->size) {
    if (write && below->access == AddressSpace::Access::kRead) return describe(*below) + " is read-only";
    return "its last " + std::to_string(address + bytes - below->base - below->size) + " bytes lie past the end of " +
           describe(*below);
  }
  const auto above = below == mappings->end() ? mappings->begin() : below + 1;
  const uint64_t past = below == mappings->end() ? ~uint64_t{0} : address - (below->base + size_of(*below));
  const uint64_t before = above == mappings->end() ? ~uint64_t{0} : above->base - address;
  if (past <= before) return std::to_string(past) + " bytes past the end of " + describe(*below);
  return std::to_string(before) + " bytes before " + describe(*above);
}

std::string describe_place(const AddressSpace& space, uint64_t address) {
  const auto mappings = space.snapshot();
  const auto at = at_or_below(*mappings, address);
  if (at == mappings->end() || address - at->base >= at->size) return describe_miss(space, address, 1, false);
  return std::to_string(address - at->base) + " bytes into " + describe(*at);
}

}  // namespace kernloop::softgpu
