#include "archive/chunks/pack.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "archive/chunks/pack_header.h"
#include "base/little_endian.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnd = "KLPKEND\n";
constexpr size_t kIndexEntryBytes = 32 + 8 + 8 + 4 + 4;
constexpr uint64_t kWriteBackBytes = 1u << 20;
constexpr size_t kFooterBytes = 8 + 8 + 32 + 8;
// 16 M chunks of 4 MiB are 64 TiB: more is no capture but an attempt to exhaust memory.
constexpr uint64_t kMaxEntries = 16u << 20;

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Error damaged(const fs::path& path, const std::string& why) {
  return {"PACK_CORRUPT", path.string() + ": " + why,
          "the file was damaged or truncated: restore it from where the capture was copied, or capture again"};
}

}  // namespace

uint64_t pack_overhead_bytes(uint64_t chunks) {
  return kPackHeader.size() + chunks * kIndexEntryBytes + kFooterBytes;
}

Result<std::unique_ptr<PackWriter>> PackWriter::create(const fs::path& path, uint64_t origin) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return io_error("cannot create", path, errno);
  std::unique_ptr<PackWriter> writer(new PackWriter(path, std::move(file), origin));
  if (auto written = writer->write(0, as_bytes(kPackHeader)); !written) return written.error();
  writer->position_ = kPackHeader.size();
  return writer;
}

PackWriter::~PackWriter() {
  if (!finished_) ::unlink(path_.c_str());
}

uint64_t PackWriter::reserve(const Digest& digest, uint32_t raw_bytes, Encoding encoding, uint64_t stored_bytes) {
  const uint64_t offset = position_;
  entries_.emplace(digest, PackEntry{digest, offset, stored_bytes, raw_bytes, encoding});
  position_ += stored_bytes;
  return offset;
}

Status PackWriter::write(uint64_t offset, Bytes stored) {
  if (auto written = write_all_at(file_.get(), origin_ + offset, stored, path_); !written) return written;
  // Starts writing to the disk at once: otherwise all of it waits for finish().
  if (stored.size() >= kWriteBackBytes) {
    ::sync_file_range(file_.get(), static_cast<off_t>(origin_ + offset), static_cast<off_t>(stored.size()),
                      SYNC_FILE_RANGE_WRITE);
  }
  return Unit{};
}

Status PackWriter::put(const Digest& digest, uint32_t raw_bytes, Encoding encoding, Bytes stored) {
  if (contains(digest)) return Unit{};
  if (auto written = write(position_, stored); !written) return written;
  reserve(digest, raw_bytes, encoding, stored.size());
  return Unit{};
}

Status PackWriter::finish() {
  std::vector<const PackEntry*> sorted;
  for (const auto& [digest, entry] : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->digest < b->digest; });

  Buffer tail;
  tail.reserve(sorted.size() * kIndexEntryBytes + kFooterBytes);
  for (const PackEntry* entry : sorted) {
    tail.insert(tail.end(), entry->digest.bytes.begin(), entry->digest.bytes.end());
    append_little_endian(tail, entry->offset);
    append_little_endian(tail, entry->stored_bytes);
    append_little_endian(tail, entry->raw_bytes);
    append_little_endian(tail, static_cast<uint32_t>(entry->encoding));
  }
  const Digest index_digest = sha256(tail);
  append_little_endian(tail, position_);
  append_little_endian(tail, static_cast<uint64_t>(sorted.size()));
  tail.insert(tail.end(), index_digest.bytes.begin(), index_digest.bytes.end());
  tail.insert(tail.end(), kEnd.begin(), kEnd.end());
  if (auto written = write(position_, tail); !written) return written;
  // Removes the remains of a failed put().
  if (::ftruncate(file_.get(), static_cast<off_t>(origin_ + position_ + tail.size())) != 0)
    return io_error("cannot truncate", path_, errno);
  if (::fsync(file_.get()) != 0) return io_error("cannot sync", path_, errno);
  finished_ = true;
  return Unit{};
}

uint64_t PackWriter::finished_bytes() const {
  return position_ + entries_.size() * kIndexEntryBytes + kFooterBytes;
}

std::vector<PackEntry> PackWriter::entries() const {
  std::vector<PackEntry> in_order;
  for (const auto& [digest, entry] : entries_) in_order.push_back(entry);
  std::sort(in_order.begin(), in_order.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
  return in_order;
}

Status PackWriter::read(const PackEntry& entry, std::span<uint8_t> stored) const {
  return read_exactly(file_.get(), origin_ + entry.offset, stored, path_);
}

Result<std::unique_ptr<PackReader>> PackReader::open(const fs::path& path, PackPlace place) {
  uint64_t file_size = 0;
  auto file = open_for_reading(path, &file_size);
  if (!file) return file.error();
  if (place.origin > file_size || place.size.value_or(0) > file_size - place.origin)
    return damaged(path, "ends before its chunks do");
  const uint64_t size = place.size.value_or(file_size - place.origin);
  std::unique_ptr<PackReader> reader(new PackReader(path, std::move(*file), place.origin));
  if (size < kPackHeader.size() + kFooterBytes) return damaged(path, "too short to be a chunk pack");

  std::array<uint8_t, 8> header;
  std::array<uint8_t, kFooterBytes> footer;
  if (auto read = reader->read(0, header); !read) return read.error();
  if (auto read = reader->read(size - kFooterBytes, footer); !read) return read.error();
  if (std::memcmp(header.data(), kPackHeader.data(), 8) != 0)
    return damaged(path, "does not begin as a chunk pack, version 1");
  if (std::memcmp(footer.data() + kFooterBytes - 8, kEnd.data(), 8) != 0) return damaged(path, "its end is missing");

  const uint64_t index_offset = load_little_endian<uint64_t>(footer.data());
  const uint64_t count = load_little_endian<uint64_t>(footer.data() + 8);
  if (count > kMaxEntries || index_offset < kPackHeader.size() || index_offset > size - kFooterBytes ||
      size - kFooterBytes - index_offset != count * kIndexEntryBytes) {
    return damaged(path, "its index does not fit the file");
  }
  Buffer index(count * kIndexEntryBytes);
  if (auto read = reader->read(index_offset, index); !read) return read.error();
  Digest expected;
  std::memcpy(expected.bytes.data(), footer.data() + 16, 32);
  if (sha256(index) != expected) return damaged(path, "its index has another digest");

  reader->entries_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* bytes = index.data() + i * kIndexEntryBytes;
    PackEntry entry;
    std::memcpy(entry.digest.bytes.data(), bytes, 32);
    entry.offset = load_little_endian<uint64_t>(bytes + 32);
    entry.stored_bytes = load_little_endian<uint64_t>(bytes + 40);
    entry.raw_bytes = load_little_endian<uint32_t>(bytes + 48);
    const uint32_t encoding = load_little_endian<uint32_t>(bytes + 52);
    entry.encoding = static_cast<Encoding>(encoding);
    const bool in_file = entry.offset >= kPackHeader.size() && entry.offset <= index_offset &&
                         entry.stored_bytes <= index_offset - entry.offset;
    if (!in_file || encoding > 1 || entry.raw_bytes > kMaxChunkBytes ||
        entry.stored_bytes > max_stored_bytes(entry.raw_bytes)) {
      return damaged(path, "entry " + std::to_string(i) + " of its index is out of bounds");
    }
    if (i > 0 && !(reader->entries_.back().digest < entry.digest)) return damaged(path, "its index is not sorted");
    reader->entries_.push_back(entry);
  }
  return reader;
}

Status PackReader::read(uint64_t offset, std::span<uint8_t> into) const {
  return read_exactly(file_.get(), origin_ + offset, into, path_);
}

const PackEntry* PackReader::find(const Digest& digest) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), digest,
                       [](const PackEntry& entry, const Digest& wanted) { return entry.digest < wanted; });
  return found != entries_.end() && found->digest == digest ? &*found : nullptr;
}

Result<bool> PackReader::get(const Digest& digest, std::span<uint8_t> raw) const {
  const PackEntry* entry = find(digest);
  if (!entry) return false;
  const auto corrupt = [&](const std::string& why) {
    return Error{"CHUNK_CORRUPT", path_.string() + ", byte " + std::to_string(entry->offset) + ": " + why,
                 "restore the file from where the capture was copied, or capture again"};
  };
  if (entry->raw_bytes != raw.size()) {
    return corrupt("the chunk has " + std::to_string(entry->raw_bytes) + " bytes instead of " +
                   std::to_string(raw.size()));
  }
  const bool is_raw = entry->encoding == Encoding::kRaw && entry->stored_bytes == raw.size();
  const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(is_raw ? 0 : entry->stored_bytes);
  const std::span<uint8_t> stored = is_raw ? raw : std::span(buffer.get(), entry->stored_bytes);
  if (auto read = this->read(entry->offset, stored); !read) return corrupt(read.error().message);
  if (!is_raw) {
    if (auto decoded = decode_chunk(entry->encoding, stored, raw); !decoded) return corrupt(decoded.error().message);
  }
  if (sha256(raw) != digest) return corrupt("the chunk's content has another digest");
  return true;
}

}  // namespace kernloop::archive
