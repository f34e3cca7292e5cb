// Address windows to reserve for device memory to be mapped where it was captured. Pure arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/core/device/layout.h"

namespace kernloop::replay {

// Physical device memory is created and mapped in these units.
inline constexpr uint64_t kDeviceGranule = uint64_t{2} << 20;
// cuMemAddressReserve takes an address as a hint. Windows of this alignment and size were honoured in every run on an
// H200 (driver 580); windows of 2 MiB mostly were not.
inline constexpr uint64_t kWindowBytes = uint64_t{32} << 20;

// The ranges rounded out to multiples of `unit`, sorted; ranges that overlap or touch become one. A range at the very
// end of the address space keeps its last, partial unit out of the sum's overflow.
std::vector<AddressRange> round_out(const std::vector<AddressRange>& ranges, uint64_t unit);

// Whether some range of `sorted` (disjoint) shares a byte with `range`.
bool overlaps_any(const std::vector<AddressRange>& sorted, const AddressRange& range);

}  // namespace kernloop::replay
