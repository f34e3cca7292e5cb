// Writes one capture into a folder: chunks as they come, then the manifest last.
// Chunks go to chunks.pack until they take more than `inline_limit_bytes` stored; then all go to the store (if there is
// one).
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "archive/chunks/chunk_pipeline.h"
#include "archive/chunks/pack.h"
#include "archive/manifest/manifest.h"
#include "archive/store/chunk_store.h"

namespace kernloop::archive {

struct CaptureWriterOptions {
  // Created if missing; the caller renames it into place after finish(). Empty: nothing is written, sizes are only
  // measured.
  std::filesystem::path directory;
  std::optional<std::filesystem::path> store;  // without one, everything stays in chunks.pack
  uint64_t inline_limit_bytes = 256u << 20;
  PipelineOptions pipeline = {};
};

// A content whose chunks are still being written.
struct PendingContent {
  std::vector<ChunkPipeline::Ticket> chunks;
};

class CaptureWriter : private ChunkDestination {
 public:
  static Result<std::unique_ptr<CaptureWriter>> create(CaptureWriterOptions options);
  ~CaptureWriter() override = default;

  // Announces the total size before the first chunk: a capture far too large for a pack never goes through one.
  void expect(uint64_t raw_bytes);

  // Chunks are hashed, compressed and written in the background; the caller waits only while too many are in flight. An
  // error is that of any chunk put before.
  ChunkBuffer buffer() { return pipeline_->buffer(); }
  Result<ChunkPipeline::Ticket> put(ChunkBuffer chunk) { return pipeline_->put(std::move(chunk)); }
  // Waits for everything that was put.
  Status settle() { return pipeline_->settle(); }
  // Once settled.
  ChunkName name(ChunkPipeline::Ticket ticket) const { return pipeline_->name(ticket); }
  Content names(const PendingContent& pending) const;

  // Cuts `raw` into chunks, and waits until they are written.
  Result<Content> put(Bytes raw);

  // Completes the capture: pack index, observed.json, then capture.json by rename. Nothing may be put afterwards.
  Status finish(const Manifest& manifest, const Json& observed);

  uint64_t bytes_raw() const { return pipeline_->bytes_raw(); }   // all bytes put, zero and repeated ones included
  uint64_t bytes_stored() const { return stored_bytes_.load(); }  // this capture's bytes in its pack or store
  // Stored bytes of one distinct chunk, if it is only measured; once settled.
  uint64_t bytes_stored(const Digest& digest) const;
  bool in_store() const { return outgrown_.load(); }
  uint64_t peak_in_flight_bytes() const { return pipeline_->peak_in_flight_bytes(); }

 private:
  explicit CaptureWriter(CaptureWriterOptions options) : options_(std::move(options)) {}
  bool is_measuring() const { return options_.directory.empty(); }
  void start();
  void place(StoredChunk& chunk) override;
  Status write(const StoredChunk& chunk) override;
  Status empty_pack_into_store();

  CaptureWriterOptions options_;
  std::unique_ptr<PackWriter> pack_;
  std::optional<ChunkStore> store_;
  StoreSession store_session_;
  std::atomic<bool> outgrown_{false};  // the pack takes nothing more
  std::atomic<uint64_t> stored_bytes_{0};
  std::unordered_map<Digest, uint64_t, DigestHash> measured_;  // distinct chunks, if they are only measured
  std::unique_ptr<ChunkPipeline> pipeline_;                    // the last: its threads use the others
};

// A content that arrives in pieces of any size: cuts it into chunks.
class ContentStream {
 public:
  explicit ContentStream(CaptureWriter& writer) : writer_(writer) {}
  Status append(Bytes bytes);
  // `fill(span)` puts the next bytes there, which avoids a copy.
  template <typename Fill>
  Status append(size_t count, Fill&& fill) {
    while (count != 0) {
      if (!chunk_) chunk_ = writer_.buffer();
      const std::span<uint8_t> room = chunk_.extend(count);
      fill(room);
      count -= room.size();
      if (!chunk_.full()) break;
      if (auto flushed = flush(); !flushed) return flushed;
    }
    return Unit{};
  }
  Result<PendingContent> finish();

 private:
  Status flush();
  CaptureWriter& writer_;
  ChunkBuffer chunk_;
  PendingContent content_;
};

}  // namespace kernloop::archive
