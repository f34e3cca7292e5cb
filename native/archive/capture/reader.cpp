#include "archive/capture/reader.h"

#include "archive/files/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMaxManifestBytes = 256u << 20;

constexpr const char* kRecovery =
    "capture again, copy the capture afresh from where it came from, or name a store that has the chunk with --store "
    "or KERNLOOP_STORE";

constexpr uint64_t kMaxUnprovenBytes = 64u << 20;

Error other_content(const CodeObject& code_object) {
  return {"CAPTURE_INVALID", "code object " + code_object.sha256.hex() + " has other content than its name says",
          "the manifest was edited: restore it, or capture again"};
}

}  // namespace

ContentView pre_of(const Region& region) {
  return {&region.pre, region.size, "region " + region.id + " (pre)"};
}
ContentView post_of(const Region& region) {
  return {&region.post, region.size, "region " + region.id + " (post)"};
}
ContentView pre_of(const ModuleVariable& v) {
  return {&v.pre, v.size, "module variable " + v.name + " (pre)"};
}
ContentView post_of(const ModuleVariable& v) {
  return {&v.post, v.size, "module variable " + v.name + " (post)"};
}
ContentView content_of(const CodeObject& code_object) {
  return {&code_object.content, code_object.size, "code object " + code_object.sha256.hex()};
}

std::vector<ContentView> contents_of(const Manifest& manifest) {
  std::vector<ContentView> views;
  for (const Region& region : manifest.regions) {
    views.push_back(pre_of(region));
    views.push_back(post_of(region));
  }
  for (const ModuleVariable& variable : manifest.module_variables) {
    views.push_back(pre_of(variable));
    views.push_back(post_of(variable));
  }
  for (const CodeObject& code_object : manifest.code_objects) views.push_back(content_of(code_object));
  return views;
}

Result<std::unique_ptr<Reader>> Reader::open(const fs::path& directory, const std::vector<fs::path>& stores) {
  const fs::path manifest_path = directory / kManifestFile;
  auto text = read_text(manifest_path, kMaxManifestBytes);
  if (!text) {
    if (text.error().code != "FILE_NOT_FOUND") return text.error();
    return Error{"CAPTURE_NOT_FOUND",
                 "there is no complete capture in " + directory.string() + ": it has no " + kManifestFile,
                 "run the capture stage, or check the path"};
  }
  auto manifest = parse_manifest(*text, manifest_path.string());
  if (!manifest) return manifest.error();

  std::unique_ptr<Reader> reader(new Reader());
  reader->directory_ = directory;
  reader->manifest_ = std::move(*manifest);
  reader->capture_digest_ = sha256({reinterpret_cast<const uint8_t*>(text->data()), text->size()});
  if (std::error_code none; fs::exists(fs::symlink_status(directory / kPackFile, none))) {
    auto pack = PackReader::open(directory / kPackFile);
    if (!pack) return pack.error();
    reader->pack_ = std::move(*pack);
  }
  for (const fs::path& store : stores) reader->stores_.emplace_back(store);
  return reader;
}

uint64_t Reader::chunk_size(const ContentView& view, size_t index) const {
  return std::min(manifest_.chunk_bytes, view.size - index * manifest_.chunk_bytes);
}

Status Reader::read_chunk(const ContentView& view, size_t index, std::span<uint8_t> raw) const {
  if (index >= view.content->chunks.size() || raw.size() != chunk_size(view, index)) {
    return Error{"NATIVE_FAILED", "a chunk outside of " + view.what + " was asked for", "report this"};
  }
  const ChunkName& name = view.content->chunks[index];
  if (!name) {
    std::fill(raw.begin(), raw.end(), uint8_t{0});
    return Unit{};
  }
  // A damaged copy in one place is ignored if another place has a good one.
  std::optional<Error> damaged;
  const auto found = [&](const Result<bool>& got) {
    if (!got && !damaged) damaged = got.error();
    return got && *got;
  };
  if (pack_ && found(pack_->get(*name, raw))) return Unit{};
  for (const ChunkStore& store : stores_) {
    if (found(store.get(*name, raw))) return Unit{};
  }

  const std::string which = "chunk " + std::to_string(index) + " of " + view.what + " (sha256 " + name->hex() + ")";
  if (damaged) return Error{"CHUNK_CORRUPT", which + " is damaged: " + damaged->message, kRecovery};
  std::string searched = pack_ ? (directory_ / kPackFile).string() : "";
  for (const ChunkStore& store : stores_) searched += (searched.empty() ? "" : ", ") + store.root().string();
  return Error{"CHUNK_MISSING",
               which + " is missing: " +
                   (searched.empty() ? directory_.string() + " has no " + kPackFile + " and no store was named"
                                     : "looked in " + searched),
               kRecovery};
}

Status Reader::for_each_chunk(const ContentView& view,
                              const std::function<Status(uint64_t offset, Bytes raw)>& visit) const {
  Buffer raw;
  for (size_t i = 0; i < view.content->chunks.size(); ++i) {
    raw.resize(chunk_size(view, i));
    if (auto read = read_chunk(view, i, raw); !read) return read;
    if (auto visited = visit(i * manifest_.chunk_bytes, raw); !visited) return visited;
  }
  return Unit{};
}

Result<Buffer> Reader::read_all(const ContentView& view, uint64_t max_bytes) const {
  if (view.size > max_bytes) {
    return Error{"CAPTURE_INVALID",
                 view.what + " has " + std::to_string(view.size) + " bytes; at most " + std::to_string(max_bytes) +
                     " are read at once",
                 "capture again"};
  }
  Buffer all;
  all.reserve(view.size);
  auto read = for_each_chunk(view, [&](uint64_t, Bytes raw) -> Status {
    all.insert(all.end(), raw.begin(), raw.end());
    return Unit{};
  });
  if (!read) return read.error();
  return all;
}

Status Reader::verify_code_object(const CodeObject& code_object) const {
  Sha256 hash;
  auto read = for_each_chunk(content_of(code_object), [&](uint64_t, Bytes raw) -> Status {
    hash.update(raw);
    return Unit{};
  });
  if (!read) return read;
  return hash.finish() == code_object.sha256 ? Status(Unit{}) : other_content(code_object);
}

Result<Buffer> Reader::read_code_object(const CodeObject& code_object) const {
  // A short manifest may claim gigabytes: memory is taken for such an object after its digest has proved them.
  const bool is_large = code_object.size > kMaxUnprovenBytes;
  if (is_large) {
    if (auto verified = verify_code_object(code_object); !verified) return verified.error();
  }
  auto bytes = read_all(content_of(code_object), code_object.size);
  if (bytes && !is_large && sha256(*bytes) != code_object.sha256) return other_content(code_object);
  return bytes;
}

std::optional<uint64_t> Reader::stored_bytes(const Digest& digest) const {
  if (pack_) {
    if (const PackEntry* entry = pack_->find(digest)) return entry->stored_bytes;
  }
  for (const ChunkStore& store : stores_) {
    if (const auto size = store.stored_bytes(digest)) return size;
  }
  return std::nullopt;
}

}  // namespace kernloop::archive
