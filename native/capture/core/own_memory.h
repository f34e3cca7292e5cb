// Arguments of a kernel that lead into memory of the program which nobody told the device's runtime of: malloc's, the
// stack. Some GPUs reach it as it is; to others such a value is a number.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "capture/core/allocation_map.h"

namespace kernloop::capture {

// Calls use(offset, value) for argument values that may be addresses, but of no tracked memory, until it returns true.
template <typename Use>
void for_each_untracked(const AllocationList& allocations, std::span<const uint8_t> arguments, Use&& use) {
  for (size_t at = 0; at + 8 <= arguments.size(); at += 8) {
    uint64_t value;
    std::memcpy(&value, arguments.data() + at, sizeof value);
    if (value < (1u << 16) || (value >> 48) != 0 || find_allocation(allocations, value) != nullptr) continue;
    // One past the end of an allocation is a legal value of a pointer that is not followed.
    if (find_allocation(allocations, value - 1) != nullptr) continue;
    if (use(at, value)) return;
  }
}

struct OwnMemory {
  size_t offset = 0;  // bytes from the start of the arguments
  uint64_t address = 0;
};

// The first such argument. `is_known` says whether the runtime knows an address.
std::optional<OwnMemory> own_memory(const AllocationList& allocations, std::span<const uint8_t> arguments,
                                    const std::function<bool(uint64_t)>& is_known);

// The text of the note PAGEABLE_MEMORY; `remedy`: "register it (…), or allocate it with …".
std::string in_words(const OwnMemory& own, const std::string& symbol, const std::string& remedy);

}  // namespace kernloop::capture
