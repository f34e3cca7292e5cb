// Content-addressed folder of chunks, shared by captures, by workspaces and by processes that write at the same time.
// A chunk is `<first two hex>/<sha256>` (raw) or `<first two hex>/<sha256>.zst`.
#pragma once

#include <filesystem>
#include <optional>

#include "archive/chunk.h"

namespace kernloop::archive {

class ChunkStore {
 public:
  explicit ChunkStore(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }

  // Stores the chunk unless a good copy is there already (a damaged one is replaced). Returns the bytes added.
  // `stored` is the encoded form of `raw`.
  Result<uint64_t> put(const Digest& digest, Bytes raw, Encoding encoding, Bytes stored) const;

  // False when the store does not have it; an Error when what it has is not that chunk.
  Result<bool> get(const Digest& digest, std::span<uint8_t> raw) const;

  // Bytes the chunk takes in this store, if it has it.
  std::optional<uint64_t> stored_bytes(const Digest& digest) const;

 private:
  std::filesystem::path path_of(const Digest& digest, Encoding encoding) const;
  std::filesystem::path root_;
};

}  // namespace kernloop::archive
