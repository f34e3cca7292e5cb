#include "archive/chunk_transfer.h"

#include <map>

#include "archive/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

struct Use {
  ContentView view;
  size_t index = 0;
};

std::map<Digest, Use> uses_of(const Manifest& manifest) {
  std::map<Digest, Use> uses;
  for (const ContentView& view : contents_of(manifest))
    for (size_t i = 0; i < view.content->chunks.size(); ++i)
      if (const ChunkName& name = view.content->chunks[i]) uses.try_emplace(*name, Use{view, i});
  return uses;
}

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

Result<uint64_t> export_chunks(const Reader& reader, const std::vector<Digest>& wanted, const fs::path& folder) {
  const std::map<Digest, Use> uses = uses_of(reader.manifest());
  uint64_t bytes = 0;
  for (const Digest& digest : wanted) {
    const auto use = uses.find(digest);
    if (use == uses.end()) {
      return Error{"USAGE", digest.hex() + " is no chunk of " + reader.directory().string(),
                   "list chunks that its capture.json names"};
    }
    Buffer raw(reader.chunk_size(use->second.view, use->second.index));
    if (auto read = reader.read_chunk(use->second.view, use->second.index, raw); !read) return read.error();
    const fs::path path = folder / digest.hex();
    std::error_code problem;
    if (!fs::exists(path, problem))
      if (auto written = replace_file(path, raw); !written) return written.error();
    bytes += raw.size();
  }
  return bytes;
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
