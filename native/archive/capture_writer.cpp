#include "archive/capture_writer.h"

#include <unistd.h>

#include "archive/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

Result<std::unique_ptr<CaptureWriter>> CaptureWriter::create(CaptureWriterOptions options) {
  std::error_code failure;
  fs::create_directories(options.directory, failure);
  if (failure) return io_error("cannot create", options.directory, failure.value());
  std::unique_ptr<CaptureWriter> writer(new CaptureWriter(std::move(options)));
  auto pack = PackWriter::create(writer->options_.directory / kPackFile);
  if (!pack) return pack.error();
  writer->pack_ = std::move(*pack);
  return writer;
}

Result<ChunkName> CaptureWriter::put_chunk(Bytes raw) {
  if (raw.empty() || raw.size() > kChunkBytes) {
    return Error{"NATIVE_FAILED", "a chunk of " + std::to_string(raw.size()) + " bytes was put into a capture",
                 "report this"};
  }
  {
    std::lock_guard lock(mutex_);
    bytes_raw_ += raw.size();
  }
  if (is_all_zero(raw)) return ChunkName{};
  const Digest digest = sha256(raw);
  std::optional<ChunkStore> store;
  {
    std::lock_guard lock(mutex_);
    if (pack_ ? pack_->contains(digest) : in_store_.contains(digest)) return ChunkName{digest};
    store = store_;
  }
  const EncodedChunk chunk = encode_chunk(raw);
  const Bytes stored = chunk.stored(raw);
  if (!store) {
    std::lock_guard lock(mutex_);
    const bool fits =
        !options_.store || (pack_ && pack_->stored_bytes() + stored.size() <= options_.inline_limit_bytes);
    if (fits) {
      if (auto put = pack_->put(digest, chunk.raw_bytes, chunk.encoding, stored); !put) return put.error();
      return ChunkName{digest};
    }
    if (auto moved = move_to_store(); !moved) return moved.error();
    store = store_;
  }
  if (auto put = store->put(digest, raw, chunk.encoding, stored); !put) return put.error();
  std::lock_guard lock(mutex_);
  if (in_store_.insert(digest).second) store_bytes_ += stored.size();
  return ChunkName{digest};
}

Status CaptureWriter::move_to_store() {
  if (!pack_) return Unit{};
  const ChunkStore store(*options_.store);
  Buffer raw;
  auto moved = pack_->for_each([&](const PackEntry& entry, Bytes stored) -> Status {
    raw.resize(entry.raw_bytes);
    if (auto decoded = decode_chunk(entry.encoding, stored, raw); !decoded) return decoded;
    if (auto put = store.put(entry.digest, raw, entry.encoding, stored); !put) return put.error();
    in_store_.insert(entry.digest);
    store_bytes_ += stored.size();
    return Unit{};
  });
  if (!moved) return moved;
  pack_.reset();  // removes its file
  store_ = store;
  return Unit{};
}

Result<Content> CaptureWriter::put(Bytes raw) {
  Content content;
  while (!raw.empty()) {
    const Bytes chunk = raw.first(std::min<size_t>(raw.size(), kChunkBytes));
    auto name = put_chunk(chunk);
    if (!name) return name.error();
    content.chunks.push_back(*name);
    raw = raw.subspan(chunk.size());
  }
  return content;
}

Status CaptureWriter::finish(const Manifest& manifest, const Json& observed) {
  if (manifest.chunk_bytes != kChunkBytes) {
    return Error{"NATIVE_FAILED", "the manifest's chunk size is not the writer's", "report this"};
  }
  if (auto valid = validate(manifest, (options_.directory / kManifestFile).string()); !valid) return valid;
  std::lock_guard lock(mutex_);
  if (pack_) {
    if (auto finished = pack_->finish(); !finished) return finished;
  }
  if (auto written = write_atomically(options_.directory / kObservedFile, to_text(observed)); !written) return written;
  return write_atomically(options_.directory / kManifestFile, to_text(manifest));
}

uint64_t CaptureWriter::bytes_raw() const {
  std::lock_guard lock(mutex_);
  return bytes_raw_;
}

uint64_t CaptureWriter::bytes_stored() const {
  std::lock_guard lock(mutex_);
  return pack_ ? pack_->stored_bytes() : store_bytes_;
}

bool CaptureWriter::in_store() const {
  std::lock_guard lock(mutex_);
  return !pack_;
}

Status ContentStream::append(Bytes bytes) {
  while (!bytes.empty()) {
    // Whole chunks that arrive in one piece are not copied.
    if (pending_.empty() && bytes.size() >= kChunkBytes) {
      auto name = writer_.put_chunk(bytes.first(kChunkBytes));
      if (!name) return name.error();
      content_.chunks.push_back(*name);
      bytes = bytes.subspan(kChunkBytes);
      continue;
    }
    const size_t count = std::min<size_t>(bytes.size(), kChunkBytes - pending_.size());
    pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    if (pending_.size() < kChunkBytes) continue;
    auto name = writer_.put_chunk(pending_);
    if (!name) return name.error();
    content_.chunks.push_back(*name);
    pending_.clear();
  }
  return Unit{};
}

Result<Content> ContentStream::finish() {
  if (!pending_.empty()) {
    auto name = writer_.put_chunk(pending_);
    if (!name) return name.error();
    content_.chunks.push_back(*name);
    pending_.clear();
  }
  return std::move(content_);
}

}  // namespace kernloop::archive
