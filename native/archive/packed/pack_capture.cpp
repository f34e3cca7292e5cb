#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>

#include "archive/chunks/chunk_pipeline.h"
#include "archive/files/file.h"
#include "archive/packed/packed_capture.h"
#include "archive/packed/packed_layout.h"
#include "base/process_name.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

struct TextFile {
  std::string name, text;
};

// The texts of a capture as they are on the disk.
Result<std::vector<TextFile>> texts_of(const Reader& reader) {
  std::vector<TextFile> texts;
  for (const char* name : kPackedFiles) {
    if (name == std::string_view(kPackFile)) continue;
    auto text = read_text(reader.directory() / name, kMaxManifestText);
    if (!text && text.error().code == "FILE_NOT_FOUND" && name != std::string_view(kManifestFile)) continue;
    if (!text) return text.error();
    if (name == std::string_view(kManifestFile)) {
      if (sha256(bytes_of(*text)) != reader.capture_digest()) {
        return Error{"CAPTURE_INVALID", reader.directory().string() + " was replaced while it was packed",
                     "pack it again"};
      }
    } else if (auto good = check_side_text(name, *text, reader.capture_digest(), reader.directory()); !good) {
      return good.error();
    }
    texts.push_back({name, std::move(*text)});
  }
  return texts;
}

// A header, its content and the padding behind it.
void append_entry(Buffer& into, const TextFile& file) {
  const Buffer header = tar_header({file.name, file.text.size(), false});
  into.insert(into.end(), header.begin(), header.end());
  into.insert(into.end(), file.text.begin(), file.text.end());
  into.resize(into.size() + tar_padding(file.text.size()));
}

class PackDestination : public ChunkDestination {
 public:
  explicit PackDestination(PackWriter& pack) : pack_(pack) {}
  void place(StoredChunk& chunk) override {
    chunk.place = pack_.reserve(chunk.digest, chunk.raw_bytes, chunk.encoding, chunk.stored.size());
  }
  Status write(const StoredChunk& chunk) override { return pack_.write(chunk.place, chunk.stored); }

 private:
  PackWriter& pack_;
};

// Every chunk in the order of its first use, stored as the encoder would today: the bytes do not depend on where it was
// found.
Status fill(PackWriter& pack, const Reader& reader) {
  PackDestination destination(pack);
  ChunkPipeline pipeline({}, destination);
  std::set<Digest> seen;
  for (const ContentView& view : contents_of(reader.manifest())) {
    for (size_t i = 0; i < view.content->chunks.size(); ++i) {
      const ChunkName& name = view.content->chunks[i];
      if (!name || !seen.insert(*name).second) continue;
      const uint64_t size = reader.chunk_size(view, i);
      ChunkBuffer raw = size <= kChunkBytes ? pipeline.buffer() : ChunkBuffer(size);
      if (auto read = reader.read_chunk(view, i, raw.extend(size)); !read) return read;
      if (auto put = pipeline.put(std::move(raw)); !put) return put.error();
    }
  }
  return pipeline.settle();
}

// Completes the file of a finished pack.
Status write_around(const fs::path& path, const Buffer& before, uint64_t pack_bytes, const Buffer& after) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return io_error("cannot open", path, errno);
  if (auto written = write_all_at(file.get(), 0, before, path); !written) return written;
  if (auto written = write_all_at(file.get(), before.size() + pack_bytes, after, path); !written) return written;
  return ::fsync(file.get()) == 0 ? Status(Unit{}) : io_error("cannot sync", path, errno);
}

Result<Packed> write_packed(const Reader& reader, const fs::path& path) {
  auto named = chunks_named(reader.manifest(), reader.directory().string());
  if (!named) return named.error();
  const auto texts = texts_of(reader);
  if (!texts) return texts.error();
  Buffer before;
  for (const TextFile& file : *texts) append_entry(before, file);

  // The pack's size is known only afterwards, so the form of its header follows from what the manifest allows.
  uint64_t most = pack_overhead_bytes(named->size());
  for (const auto& [digest, size] : *named) most += max_stored_bytes(size);
  TarEntry entry{kPackFile, 0, most > kMaxUstarSize};
  auto pack = PackWriter::create(path, before.size() + tar_header(entry).size());
  if (!pack) return pack.error();
  if (auto filled = fill(**pack, reader); !filled) return filled.error();
  entry.size = (*pack)->finished_bytes();
  if (auto finished = (*pack)->finish(); !finished) return finished.error();

  const Buffer header = tar_header(entry);
  before.insert(before.end(), header.begin(), header.end());
  const Buffer after(tar_padding(entry.size) + kTarEndBytes);
  if (auto written = write_around(path, before, entry.size, after); !written) {
    ::unlink(path.c_str());
    return written.error();
  }
  return Packed{reader.capture_digest(), named->size(), before.size() + entry.size + after.size()};
}

// The digest of the manifest in a packed capture; nullopt for anything else.
std::optional<Digest> capture_in(const fs::path& path) {
  uint64_t size = 0;
  const auto file = open_for_reading(path, &size);
  if (!file) return std::nullopt;
  const auto layout = packed_layout(file->get(), size, path);
  if (!layout) return std::nullopt;
  Buffer text(layout->front().entry.size);
  if (!read_exactly(file->get(), layout->front().offset, text, path)) return std::nullopt;
  return sha256(text);
}

}  // namespace

Result<Packed> pack_capture(const Reader& reader, const fs::path& output) {
  std::error_code failure;
  if (fs::exists(fs::symlink_status(output, failure)) && capture_in(output) != reader.capture_digest()) {
    return Error{"TARGET_EXISTS", output.string() + " exists, and is not this capture packed",
                 "remove it, or name another file with --output"};
  }
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  fs::create_directories(folder, failure);
  if (failure) return io_error("cannot create", folder, failure.value());
  const fs::path temporary = hidden_beside(output, process_name() + ".tmp");
  ::unlink(temporary.c_str());  // left by an earlier process of this number
  auto packed = write_packed(reader, temporary);
  if (!packed) return packed;
  if (::rename(temporary.c_str(), output.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    return io_error("cannot rename to", output, error_number);
  }
  if (auto synced = sync_directory(folder); !synced) return synced.error();
  return packed;
}

}  // namespace kernloop::archive
