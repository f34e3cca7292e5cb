#include "archive/capture/capture_writer.h"

#include <algorithm>
#include <future>
#include <utility>

#include "archive/files/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

// Zero, repeated and compressible chunks shrink the stored size: only a raw size of this many limits surely exceeds the
// limit.
constexpr uint64_t kSurelyTooLarge = 8;
constexpr int kMovers = 8;
constexpr uint64_t kInStore = ~uint64_t{0};  // a chunk's place

}  // namespace

Result<std::unique_ptr<CaptureWriter>> CaptureWriter::create(CaptureWriterOptions options) {
  if (options.directory.empty()) {
    std::unique_ptr<CaptureWriter> measure(new CaptureWriter(std::move(options)));
    measure->start();
    return measure;
  }
  std::error_code failure;
  fs::create_directories(options.directory, failure);
  if (failure) return io_error("cannot create", options.directory, failure.value());
  std::unique_ptr<CaptureWriter> writer(new CaptureWriter(std::move(options)));
  auto pack = PackWriter::create(writer->options_.directory / kPackFile);
  if (!pack) return pack.error();
  writer->pack_ = std::move(*pack);
  if (writer->options_.store) {
    StagingFolder::sweep(*writer->options_.store);
    writer->store_.emplace(*writer->options_.store);
  }
  writer->start();
  return writer;
}

void CaptureWriter::start() {
  pipeline_ = std::make_unique<ChunkPipeline>(options_.pipeline, static_cast<ChunkDestination&>(*this));
}

void CaptureWriter::expect(uint64_t raw_bytes) {
  if (store_ && raw_bytes / kSurelyTooLarge > options_.inline_limit_bytes) outgrown_ = true;
}

void CaptureWriter::place(StoredChunk& chunk) {
  stored_bytes_ += chunk.stored.size();
  if (is_measuring()) {
    measured_[chunk.digest] = chunk.stored.size();
    return;
  }
  if (store_ && pack_->stored_bytes() + chunk.stored.size() > options_.inline_limit_bytes) outgrown_ = true;
  chunk.place =
      outgrown_ ? kInStore : pack_->reserve(chunk.digest, chunk.raw_bytes, chunk.encoding, chunk.stored.size());
}

uint64_t CaptureWriter::bytes_stored(const Digest& digest) const {
  const auto found = measured_.find(digest);
  return found != measured_.end() ? found->second : 0;
}

Status CaptureWriter::write(const StoredChunk& chunk) {
  if (is_measuring()) return Unit{};
  if (chunk.place != kInStore) return pack_->write(chunk.place, chunk.stored);
  auto put = store_->put(chunk.digest, chunk.raw_bytes, chunk.encoding, chunk.stored, &store_session_);
  return put ? Status(Unit{}) : put.error();
}

// Moves the pack's chunks into the store, several at a time: each waits for the disk.
Status CaptureWriter::empty_pack_into_store() {
  const std::vector<PackEntry> entries = pack_->entries();
  std::atomic<size_t> next{0};
  const auto move_some = [&]() -> Status {
    for (size_t i = next++; i < entries.size(); i = next++) {
      const PackEntry& entry = entries[i];
      ChunkBuffer buffer(entry.stored_bytes);
      if (auto read = pack_->read(entry, buffer.extend(entry.stored_bytes)); !read) return read;
      auto put = store_->put(entry.digest, entry.raw_bytes, entry.encoding, buffer.bytes(), &store_session_);
      if (!put) return put.error();
    }
    return Unit{};
  };
  std::vector<std::future<Status>> movers;
  for (int i = 0; i < kMovers; ++i) movers.push_back(std::async(std::launch::async, move_some));
  Status moved = Unit{};
  for (std::future<Status>& mover : movers) {
    if (Status done = mover.get(); !done) moved = done;
  }
  if (moved) pack_.reset();  // removes its file
  return moved;
}

Content CaptureWriter::names(const PendingContent& pending) const {
  Content content;
  content.chunks.reserve(pending.chunks.size());
  for (ChunkPipeline::Ticket ticket : pending.chunks) content.chunks.push_back(name(ticket));
  return content;
}

Result<Content> CaptureWriter::put(Bytes raw) {
  ContentStream stream(*this);
  if (auto appended = stream.append(raw); !appended) return appended.error();
  auto pending = stream.finish();
  if (!pending) return pending.error();
  if (auto settled = settle(); !settled) return settled.error();
  return names(*pending);
}

Status CaptureWriter::finish(const Manifest& manifest, const Json& observed) {
  if (manifest.chunk_bytes != kChunkBytes) {
    return Error{"NATIVE_FAILED", "the manifest's chunk size is not the writer's", "report this"};
  }
  if (auto valid = validate(manifest, (options_.directory / kManifestFile).string()); !valid) return valid;
  if (auto settled = settle(); !settled) return settled;
  if (is_measuring()) return Unit{};
  if (outgrown_) {
    if (auto moved = empty_pack_into_store(); !moved) return moved;
    if (auto synced = store_session_.sync(); !synced) return synced;
  } else if (auto finished = pack_->finish(); !finished) {
    return finished;
  }
  if (auto written = write_atomically(options_.directory / kObservedFile, to_text(observed)); !written) return written;
  return write_atomically(options_.directory / kManifestFile, to_text(manifest));
}

Status ContentStream::append(Bytes bytes) {
  return append(bytes.size(), [&](std::span<uint8_t> into) {
    std::copy_n(bytes.begin(), into.size(), into.begin());
    bytes = bytes.subspan(into.size());
  });
}

Status ContentStream::flush() {
  auto ticket = writer_.put(std::exchange(chunk_, ChunkBuffer()));
  if (!ticket) return ticket.error();
  content_.chunks.push_back(*ticket);
  return Unit{};
}

Result<PendingContent> ContentStream::finish() {
  if (!chunk_.empty()) {
    if (auto flushed = flush(); !flushed) return flushed.error();
  }
  return std::move(content_);
}

}  // namespace kernloop::archive
