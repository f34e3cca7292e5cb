// chunks.pack: the chunks of one capture in one file (layout: docs/archive-format.md, "chunks.pack"), which may be a
// part of another file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <unordered_map>

#include "archive/chunks/chunk.h"
#include "archive/files/file.h"

namespace kernloop::archive {

struct PackEntry {
  Digest digest;
  uint64_t offset = 0;
  uint64_t stored_bytes = 0;
  uint32_t raw_bytes = 0;
  Encoding encoding = Encoding::kRaw;
};

// Size of a pack's parts besides the stored chunks: header, index, footer.
uint64_t pack_overhead_bytes(uint64_t chunks);

// A writer that is destroyed before finish() removes its file. Not thread-safe, but for write() and read().
class PackWriter {
 public:
  // The pack begins at byte `origin` of the new file.
  static Result<std::unique_ptr<PackWriter>> create(const std::filesystem::path& path, uint64_t origin = 0);
  ~PackWriter();

  bool contains(const Digest& digest) const { return entries_.contains(digest); }
  Status put(const Digest& digest, uint32_t raw_bytes, Encoding encoding, Bytes stored);
  // The two halves of put(), for chunks that it does not have: a place behind those before, and the bytes there, from
  // any thread. All of them must be written before finish() or read().
  uint64_t reserve(const Digest& digest, uint32_t raw_bytes, Encoding encoding, uint64_t stored_bytes);
  Status write(uint64_t offset, Bytes stored);
  Status finish();  // index, footer, fsync

  uint64_t stored_bytes() const { return position_; }
  uint64_t finished_bytes() const;  // size of the whole pack once it is finished
  size_t count() const { return entries_.size(); }
  std::vector<PackEntry> entries() const;  // in order of first use
  // Reads back a written chunk; from any thread.
  Status read(const PackEntry& entry, std::span<uint8_t> stored) const;

 private:
  PackWriter(std::filesystem::path path, FileDescriptor file, uint64_t origin)
      : path_(std::move(path)), file_(std::move(file)), origin_(origin) {}

  std::filesystem::path path_;
  FileDescriptor file_;
  uint64_t origin_;  // all other offsets are from there
  uint64_t position_ = 0;
  bool finished_ = false;
  std::unordered_map<Digest, PackEntry, DigestHash> entries_;
};

// Place of a pack in its file.
struct PackPlace {
  uint64_t origin = 0;
  std::optional<uint64_t> size;  // to the end of the file if left out
};

// Thread-safe. The index is verified when opened, each chunk when read.
class PackReader {
 public:
  static Result<std::unique_ptr<PackReader>> open(const std::filesystem::path& path, PackPlace place = {});
  const std::vector<PackEntry>& entries() const { return entries_; }  // sorted by digest
  const PackEntry* find(const Digest& digest) const;
  // False if the pack does not have it; an Error if its copy is not that chunk.
  Result<bool> get(const Digest& digest, std::span<uint8_t> raw) const;

 private:
  PackReader(std::filesystem::path path, FileDescriptor file, uint64_t origin)
      : path_(std::move(path)), file_(std::move(file)), origin_(origin) {}
  Status read(uint64_t offset, std::span<uint8_t> into) const;
  std::filesystem::path path_;
  FileDescriptor file_;
  uint64_t origin_;
  std::vector<PackEntry> entries_;
};

}  // namespace kernloop::archive
