// Parts that a shrunk capture no longer holds: bytes of its regions that the captured dispatch neither reads nor
// writes. They are zeros in the archive, and unmapped in a replay, where an access to them faults.
#pragma once

#include <filesystem>
#include <vector>

#include "archive/capture_writer.h"
#include "archive/manifest.h"
#include "archive/reader.h"

namespace kernloop::archive {

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

struct ShrinkRequest {
  CaptureWriterOptions writer;  // `directory` must not be there yet
  std::filesystem::path dropped;
};
struct Shrunk {
  uint64_t dropped_bytes = 0, bytes_stored = 0;
};
// The capture of `reader` without these bytes, in another folder, with its observed.json.
Result<Shrunk> shrink_capture(const Reader& reader, const ShrinkRequest& request);

}  // namespace kernloop::archive
