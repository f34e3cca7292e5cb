// Parts that a shrunk capture no longer holds: bytes of its regions that the captured dispatch neither reads nor
// writes. They are zeros in the archive, and unmapped in a replay, where an access to them faults.
#pragma once

#include <filesystem>
#include <vector>

#include "archive/manifest/manifest.h"
#include "base/result.h"

namespace kernloop::archive {

// Member of a region, beside those that every version knows.
constexpr const char* kDropped = "dropped";

struct DroppedBytes {
  uint64_t offset = 0, bytes = 0;
  bool operator==(const DroppedBytes&) const = default;
};

// `dropped` of a region: sorted, disjoint, inside. Throws ManifestProblem if the manifest violates that.
std::vector<DroppedBytes> dropped_of(const Region& region);
uint64_t dropped_bytes_of(const Manifest& manifest);

// Region by region, in the order of the manifest, from a file like {"dropped": [{"region", "offset", "bytes"}]},
// together with the parts that the capture lacks already. USAGE if it does not fit the capture.
Result<std::vector<std::vector<DroppedBytes>>> read_dropped(const std::filesystem::path& file,
                                                            const Manifest& manifest);

}  // namespace kernloop::archive
