// Writes one capture into a folder: chunks as they come, then the manifest last.
// Chunks go to chunks.pack until they take more than `inline_limit_bytes` stored; then all move to the store (if there
// is one).
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>

#include "archive/chunk_store.h"
#include "archive/manifest.h"
#include "archive/pack.h"

namespace kernloop::archive {

struct CaptureWriterOptions {
  std::filesystem::path directory;             // created if missing; the caller renames it into place after finish()
  std::optional<std::filesystem::path> store;  // without one, everything stays in chunks.pack
  uint64_t inline_limit_bytes = 256u << 20;
};

class CaptureWriter {
 public:
  static Result<std::unique_ptr<CaptureWriter>> create(CaptureWriterOptions options);

  // `raw` is one chunk: kChunkBytes, or less at the end of a content. Thread-safe; hashes and compresses outside the
  // lock.
  Result<ChunkName> put_chunk(Bytes raw);
  // Cuts `raw` into chunks.
  Result<Content> put(Bytes raw);

  // Completes the capture: pack index, observed.json, then capture.json by rename. Nothing may be put afterwards.
  Status finish(const Manifest& manifest, const Json& observed);

  uint64_t bytes_raw() const;     // all bytes put, zero and repeated ones included
  uint64_t bytes_stored() const;  // what this capture added to its pack, or has in its store
  bool in_store() const;

 private:
  explicit CaptureWriter(CaptureWriterOptions options) : options_(std::move(options)) {}
  Status move_to_store();

  CaptureWriterOptions options_;
  mutable std::mutex mutex_;
  std::unique_ptr<PackWriter> pack_;
  std::optional<ChunkStore> store_;  // set once the capture has outgrown its pack
  std::unordered_set<Digest, DigestHash> in_store_;
  uint64_t bytes_raw_ = 0;
  uint64_t store_bytes_ = 0;
};

// A content that arrives in pieces of any size: cuts it into chunks, holding at most one.
class ContentStream {
 public:
  explicit ContentStream(CaptureWriter& writer) : writer_(writer) {}
  Status append(Bytes bytes);
  Result<Content> finish();

 private:
  CaptureWriter& writer_;
  Buffer pending_;
  Content content_;
};

}  // namespace kernloop::archive
