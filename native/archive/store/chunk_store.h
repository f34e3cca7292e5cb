// Content-addressed folder of chunks, shared by captures, by workspaces and by processes that write at the same time.
// A chunk is `<first two hex>/<sha256>` (raw) or `<first two hex>/<sha256>.zst`.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "archive/chunks/chunk.h"
#include "archive/store/staging_folder.h"
#include "archive/store/store_lock.h"

namespace kernloop::archive {

class ChunkStore;

// One writer of one store: its unfinished files, and the folders it has changed and not yet made durable. Thread-safe.
class StoreSession {
 public:
  // Shares the store from now on until the session ends: no gc meanwhile.
  Status hold(const std::filesystem::path& store);
  // The folder for temporary files in that store.
  Result<std::filesystem::path> staging(const std::filesystem::path& store);
  void changed(const std::filesystem::path& folder);
  // Reads a chunk whole, one at a time: every thread of a writer at once would take more memory than its chunks in
  // flight.
  bool proves(const ChunkStore& store, const Digest& digest, uint32_t raw_bytes);
  // After it, everything put before survives a power failure.
  Status sync();

 private:
  std::mutex mutex_, proving_;
  std::optional<StoreLock> lock_;
  std::unique_ptr<StagingFolder> staging_;
  std::set<std::filesystem::path> folders_;
};

class ChunkStore {
 public:
  explicit ChunkStore(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }

  // Stores the chunk unless a good copy is there already (a damaged one is replaced), which then counts as new for gc.
  // Returns the bytes added. With a session, the chunk's name is durable once that is synced; else at once. Its bytes
  // are durable before it has the name.
  Result<uint64_t> put(const Digest& digest, uint32_t raw_bytes, Encoding encoding, Bytes stored,
                       StoreSession* session = nullptr) const;

  // False if the store does not have it; an Error if its copy is not that chunk.
  Result<bool> get(const Digest& digest, std::span<uint8_t> raw) const;

  // Bytes the chunk takes in this store, if it has it.
  std::optional<uint64_t> stored_bytes(const Digest& digest) const;

 private:
  // Sets its time to now. False if that is not allowed: then it must be written anew.
  bool touch(const Digest& digest) const;
  std::filesystem::path path_of(const Digest& digest, Encoding encoding) const;
  std::filesystem::path root_;
};

}  // namespace kernloop::archive
