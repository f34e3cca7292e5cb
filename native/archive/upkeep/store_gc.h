// Removes the chunks that no capture needs from a store. A chunk stays if the manifest of any capture below the roots
// names it, or if it was written or found useful by a writer within the grace period; writers touch the chunks that
// they re-use (ChunkStore::put). No writer is at work meanwhile (StoreLock). A chunk can therefore only be lost to a
// capture that is outside all roots, or that is moved in from there while gc runs.
#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace kernloop::archive {

struct GcRequest {
  std::filesystem::path store;
  std::vector<std::filesystem::path> roots;  // folders searched for captures
  std::vector<std::filesystem::path> skip;   // folders below them to leave out
  std::chrono::seconds grace{0};
  bool dry_run = false;  // counts, and removes nothing
};

struct GcResult {
  size_t captures = 0;
  uint64_t chunks_kept = 0, bytes_kept = 0;        // named by a manifest
  uint64_t chunks_recent = 0, bytes_recent = 0;    // not named, within the grace period
  uint64_t chunks_removed = 0, bytes_removed = 0;  // with dry_run: that would be
};

// Refused, with nothing removed, if any manifest cannot be read.
Result<GcResult> collect_garbage(const GcRequest& request);

}  // namespace kernloop::archive
