// The captures below some folders, and the chunks that their manifests name: the users of a store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/chunks/named_chunks.h"
#include "base/digest.h"
#include "base/result.h"

namespace kernloop::archive {

struct FoundCapture {
  std::filesystem::path directory;
  std::string kernel;
  Digest capture_sha256;
};

struct CaptureScan {
  std::vector<FoundCapture> captures;  // by path
  NamedChunks named;                   // by the index of the capture
  std::vector<Error> unreadable;       // manifests and folders
  std::vector<Error> absent;  // links out of the folders with missing targets, such as a disk that is not mounted
};

// Every folder with a capture.json, links to folders followed, except for node_modules, .git and those in `skip`. A
// capture.json of another kind is ignored. A missing root is an error. Takes memory for one manifest at a time.
Result<CaptureScan> scan_captures(const std::vector<std::filesystem::path>& roots,
                                  const std::vector<std::filesystem::path>& skip);

}  // namespace kernloop::archive
