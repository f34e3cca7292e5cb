// The captures below some folders, and the chunks that their manifests name: what a store is kept for.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"

namespace kernloop::archive {

struct FoundCapture {
  std::filesystem::path directory;
  std::string kernel;
  Digest capture_sha256;
  std::map<Digest, uint64_t> named;  // raw bytes of each distinct chunk
  std::set<Digest> packed;           // those in its own chunks.pack
};

struct CaptureScan {
  std::vector<FoundCapture> captures;  // by path
  std::vector<Error> unreadable;       // manifests and folders
};

// Every folder with a capture.json, links to folders followed, but for node_modules, .git and those in `skip`. A
// capture.json that says to be something else is passed over. A root that is not there is an error.
Result<CaptureScan> scan_captures(const std::vector<std::filesystem::path>& roots,
                                  const std::vector<std::filesystem::path>& skip);

}  // namespace kernloop::archive
