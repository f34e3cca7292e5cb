// Finds the bytes that the captured dispatch overwrites without reading them (overwritten.h) on devices that do not
// record reads: by launches that begin with other values there.
//
// Memory is searched area by area (from one kernel argument's target to the next). A first launch with the whole area
// changed shows which bytes are written; then only those are changed, again and again, under values that expose each
// way to look at them. Bytes that are not as the app left them are dropped, until all launches leave all memory as the
// app did. Bytes that cannot be proven within the bounds below are left out and judged as before. A launch that faults
// or never ends costs the process, and its area: the next process continues with the areas behind it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "replay/core/device/device.h"
#include "verdict/poison_fill.h"
#include "verdict/varying.h"

namespace kernloop::replay {

struct OverwrittenSearch {
  DeviceReplay& device;
  ContentCache& cache;
  std::vector<Target>& targets;  // `overwritten`: the bytes that a launch begins with other values in
  const std::vector<VaryingRange>& varying;
  std::vector<uint64_t> pointers;            // pointers among the kernel's arguments
  std::filesystem::path state;               // state of earlier processes; written as the search goes on
  std::function<Result<bool>(Fill)> launch;  // launches restored memory; false: it did not end by itself
};

// By target; none if a launch did not end by itself.
Result<std::optional<std::vector<std::vector<AddressRange>>>> search_overwritten(const OverwrittenSearch& search);

}  // namespace kernloop::replay
