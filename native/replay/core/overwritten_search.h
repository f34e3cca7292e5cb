// Finds what the captured dispatch overwrites without reading it (overwritten.h) on devices that do not tell what is
// read: by launches that begin with other values there.
//
// Memory is searched area by area (what a kernel argument points to, up to where the next one does). A first launch
// with the whole area changed shows what of it is written; then only that is changed, again and again, under values
// that show each way to look at it: what is not as the app left it is dropped, until all launches leave all memory as
// the app did. What cannot be shown within the bounds below is not told: then it is judged as before.
// A launch that faults or never ends costs the process, and its area: the next process goes on with those behind it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "replay/core/poison_fill.h"
#include "replay/core/varying.h"

namespace kernloop::replay {

struct OverwrittenSearch {
  DeviceReplay& device;
  ContentCache& cache;
  std::vector<Target>& targets;  // `overwritten` is what a launch begins with other values in
  const std::vector<VaryingRange>& varying;
  std::vector<uint64_t> pointers;            // of the kernel's arguments
  std::filesystem::path state;               // of earlier processes; written as the search goes on
  std::function<Result<bool>(Fill)> launch;  // of restored memory; false: it did not end by itself
};

// By target; nothing where a launch did not end by itself.
Result<std::optional<std::vector<std::vector<AddressRange>>>> search_overwritten(const OverwrittenSearch& search);

}  // namespace kernloop::replay
