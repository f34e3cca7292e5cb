// Content of a chunk store, the captures that use it, and whether it is intact.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/store/store_listing.h"
#include "archive/upkeep/capture_scan.h"

namespace kernloop::archive {

inline constexpr size_t kProblemsListed = 1000;  // per kind, and captures per problem; all are counted

struct StoreProblem {
  Digest digest;
  std::string message;
  std::vector<std::filesystem::path> captures;  // captures that need the chunk
};

// The first of them, by digest.
struct StoreProblems {
  uint64_t count = 0;
  std::vector<StoreProblem> listed;
};

struct StoreCheck {
  uint64_t chunks = 0, bytes = 0;
  size_t captures = 0;
  StoreProblems damaged, missing;
  std::vector<Error> unreadable;
};

// Reads and hashes every chunk. A chunk is missing if a capture needs it and neither the capture, the store nor one of
// `others` has it.
Result<StoreCheck> check_store(const std::filesystem::path& store, const CaptureScan& scan,
                               const std::vector<std::filesystem::path>& others);

struct CaptureUse {
  std::filesystem::path directory;
  std::string kernel;
  uint64_t chunks = 0, bytes = 0;  // its chunks in the store
  uint64_t bytes_own = 0;          // chunks that no other capture names
  uint64_t chunks_missing = 0;     // from its pack and this store
};

struct StoreStats {
  uint64_t chunks = 0, bytes_stored = 0, bytes_raw = 0;
  uint64_t chunks_shared = 0, bytes_shared = 0;  // named by several captures
  uint64_t chunks_unused = 0, bytes_unused = 0;  // named by none
  std::vector<CaptureUse> captures;
  std::vector<Error> unreadable;
};

Result<StoreStats> measure_store(const std::filesystem::path& store, const CaptureScan& scan);

}  // namespace kernloop::archive
