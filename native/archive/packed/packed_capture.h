// A capture as one file that needs no store: a tar of capture.json, observed.json, selfcheck.json and a chunks.pack
// with every chunk (docs/archive-format.md, "Packed captures"). The same capture gives the same bytes.
#pragma once

#include <filesystem>
#include <string>

#include "archive/capture/reader.h"

namespace kernloop::archive {

struct Packed {
  Digest capture_sha256;
  uint64_t chunks = 0;  // distinct, not zero
  uint64_t bytes = 0;   // size of the file
};

// Takes chunks from any place where `reader` finds them. An existing file is replaced only if it is the same capture.
Result<Packed> pack_capture(const Reader& reader, const std::filesystem::path& output);

struct UnpackRequest {
  std::filesystem::path file;
  std::filesystem::path target;  // the capture's folder; its parents are created
  std::string symbol;            // expected kernel; empty: any
};

enum class UnpackOutcome {
  kWritten,    // the target was not there
  kUnchanged,  // the target is this capture, with all its chunks
  kRepaired,   // the target is this capture, and has all its chunks now
};

struct Unpacked {
  UnpackOutcome outcome = UnpackOutcome::kWritten;
  Digest capture_sha256;
  uint64_t chunks = 0;
  uint64_t bytes = 0;
};

// The file may be hostile. Nothing is seen at the target before every byte of it has been verified, and nothing is
// written except in a folder of a temporary name beside it. A target of another kind is left alone.
Result<Unpacked> unpack_capture(const UnpackRequest& request);

}  // namespace kernloop::archive
