// Captured values that point to the captured code's address: with a variant loaded elsewhere they are stale, and users
// should know first.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "replay/core/device/layout.h"

namespace kernloop::replay {

// Counts aligned 64-bit values of `bytes` (at `address`) that fall into one of the ranges.
uint64_t count_pointers_into(const std::vector<AddressRange>& ranges, uint64_t address, Bytes bytes);

// The first of them.
struct PointerFound {
  uint64_t offset = 0, value = 0;
};
std::optional<PointerFound> first_pointer_into(const std::vector<AddressRange>& ranges, uint64_t address, Bytes bytes);

}  // namespace kernloop::replay
