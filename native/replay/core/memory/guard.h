// Finds out-of-bounds accesses that the app's neighbouring allocations would hide: memory around the captured one is
// closed to the kernel, as far as the device can.
#pragma once

#include "replay/core/device/device.h"
#include "replay/core/memory/snapshot.h"
#include "verdict/events.h"

namespace kernloop::replay {

// Called once, with everything mapped. Closes the padding inside of the granules if the device checks single bytes (to
// the dword: compilers widen narrow loads that far), and keeps the granule on either side of each mapping unmapped.
// Emits `guard`.
Status raise_guard(DeviceReplay& device, const Snapshot& snapshot, EventSink& sink);

// Whether the poison around the regions is as it was before the launch: that finds writes if the device protects whole
// granules only. Emits a `fault` otherwise.
Result<bool> is_poison_intact(DeviceReplay& device, ContentCache& cache, const Snapshot& snapshot,
                              const Program& program, EventSink& sink);

// Padding bytes that a kernel may not touch from now on: none if the device closes only whole granules.
Result<uint64_t> close_padding(DeviceReplay& device, const std::vector<AddressRange>& padding);

// All ranges that an address may have been meant for: the regions, and the lens's memory ("lens:<name>").
std::vector<Target> bounded_memory(const Snapshot& snapshot, const Program& program);

// The region that an address was most likely meant for: {"region", "position": "before"|"inside"|"behind", "distance":
// bytes from its first byte, or behind its last one, "size"}; null without regions.
Json nearest_region(uint64_t address, const std::vector<Target>& regions);

}  // namespace kernloop::replay
