// A smaller capture: without bytes that the captured dispatch neither reads nor writes (manifest/dropped.h).
#pragma once

#include <filesystem>

#include "archive/capture/capture_writer.h"
#include "archive/capture/reader.h"

namespace kernloop::archive {

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
