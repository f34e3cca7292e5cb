#include "archive/chunk_transfer.h"

#include "archive/files/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

Result<Buffer> read_whole(const fs::path& path) {
  uint64_t size = 0;
  auto file = open_for_reading(path, &size);
  if (!file) return file.error();
  if (size > kMaxChunkBytes) {
    return Error{"CHUNK_CORRUPT", path.string() + " has " + std::to_string(size) + " bytes, more than any chunk",
                 "fetch it again"};
  }
  Buffer raw(size);
  if (auto read = read_exactly(file->get(), 0, raw, path); !read) return read.error();
  return raw;
}

}  // namespace

ChunkExport::ChunkExport(const Reader& reader, fs::path folder) : reader_(reader), folder_(std::move(folder)) {
  for (const ContentView& view : contents_of(reader.manifest()))
    for (size_t i = 0; i < view.content->chunks.size(); ++i)
      if (const ChunkName& name = view.content->chunks[i]) uses_.try_emplace(*name, Use{view, i});
}

Result<uint64_t> ChunkExport::write(const Digest& wanted) const {
  const auto use = uses_.find(wanted);
  if (use == uses_.end()) {
    return Error{"USAGE", wanted.hex() + " is no chunk of " + reader_.directory().string(),
                 "list chunks that its capture.json names"};
  }
  const auto& [view, index] = use->second;
  Buffer raw(reader_.chunk_size(view, index));
  if (auto read = reader_.read_chunk(view, index, raw); !read) return read.error();
  const fs::path path = folder_ / wanted.hex();
  std::error_code problem;
  if (!fs::exists(path, problem))
    if (auto written = replace_file(path, raw); !written) return written.error();
  return raw.size();
}

Result<Imported> import_chunks(const fs::path& folder, const fs::path& root) {
  const ChunkStore store(root);
  StoreSession session;
  if (auto held = session.hold(root); !held) return held.error();
  Imported imported;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem)) {
    const auto name = Digest::parse(entry.path().filename().string());
    if (!name) continue;
    auto raw = read_whole(entry.path());
    if (!raw) return raw.error();
    if (sha256(*raw) != *name) {
      return Error{"CHUNK_CORRUPT", entry.path().string() + " is not the content that its name says",
                   "remove it and fetch it again"};
    }
    const EncodedChunk encoded = encode_chunk(*raw);
    const auto added =
        store.put(*name, static_cast<uint32_t>(raw->size()), encoded.encoding, encoded.stored(*raw), &session);
    if (!added) return added.error();
    ++imported.chunks;
    imported.bytes_added += *added;
  }
  if (problem) return io_error("read", folder, problem.value());
  if (auto synced = session.sync(); !synced) return synced.error();
  return imported;
}

}  // namespace kernloop::archive
