#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>

#include "archive/chunks/pack_header.h"
#include "archive/files/file.h"
#include "archive/files/parallel.h"
#include "archive/packed/packed_capture.h"
#include "archive/packed/packed_layout.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

constexpr size_t kCopyBytes = 4u << 20;

// Promises of a file's headers and texts; the chunks are not read yet.
struct PackedFile {
  fs::path path;
  FileDescriptor file;
  uint64_t size = 0;
  std::vector<PlacedEntry> entries;
  Manifest manifest;
  Digest capture_sha256;
  uint64_t chunks = 0;
};

Result<std::string> text_of(const PackedFile& packed, const PlacedEntry& placed) {
  std::string text(placed.entry.size, '\0');
  auto read = read_exactly(packed.file.get(), placed.offset, {reinterpret_cast<uint8_t*>(text.data()), text.size()},
                           packed.path);
  if (!read) return read.error();
  return text;
}

Result<PackedFile> open_packed(const fs::path& path) {
  PackedFile packed;
  packed.path = path;
  auto file = open_for_reading(path, &packed.size);
  if (!file) return file.error();
  packed.file = std::move(*file);
  auto layout = packed_layout(packed.file.get(), packed.size, path);
  if (!layout) return layout.error();
  packed.entries = std::move(*layout);

  const auto text = text_of(packed, packed.entries.front());
  if (!text) return text.error();
  const std::string where = path.string() + ": " + kManifestFile;
  auto manifest = parse_manifest(*text, where);
  if (!manifest) return manifest.error();
  packed.manifest = std::move(*manifest);
  packed.capture_sha256 = sha256({reinterpret_cast<const uint8_t*>(text->data()), text->size()});
  for (const PlacedEntry& placed : packed.entries) {
    if (placed.entry.name == kManifestFile || placed.entry.name == kPackFile) continue;
    const auto side = text_of(packed, placed);
    if (!side) return side.error();
    if (auto good = check_side_text(placed.entry.name, *side, packed.capture_sha256, path); !good) return good.error();
  }

  const auto named = chunks_named(packed.manifest, where);
  if (!named) return named.error();
  const PlacedEntry& chunks = packed.entries.back();
  const auto pack = PackReader::open(path, {chunks.offset, chunks.entry.size});
  if (!pack) return pack.error();
  if (auto good = check_pack(**pack, *named, chunks.entry.size, path); !good) return good.error();
  packed.chunks = named->size();
  return packed;
}

Status copy_range(const PackedFile& from, const PlacedEntry& placed, const fs::path& to) {
  FileDescriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return io_error("cannot create", to, errno);
  Buffer buffer(std::min<uint64_t>(kCopyBytes, placed.entry.size));
  for (uint64_t done = 0; done < placed.entry.size; done += buffer.size()) {
    buffer.resize(std::min<uint64_t>(buffer.size(), placed.entry.size - done));
    if (auto read = read_exactly(from.file.get(), placed.offset + done, buffer, from.path); !read) return read;
    if (auto written = write_all(file.get(), buffer, to); !written) return written;
  }
  return Unit{};
}

Status sync_file(const fs::path& path) {
  const auto file = open_for_reading(path, nullptr);
  if (!file) return file.error();
  return ::fsync(file->get()) == 0 ? Status(Unit{}) : io_error("cannot sync", path, errno);
}

// Every chunk of a capture that needs no store, by its digest.
Status verify_chunks(const Reader& reader) {
  struct Use {
    ContentView view;
    size_t index;
  };
  std::vector<Use> uses;
  std::map<Digest, bool> seen;
  for (const ContentView& view : contents_of(reader.manifest())) {
    for (size_t i = 0; i < view.content->chunks.size(); ++i) {
      const ChunkName& name = view.content->chunks[i];
      if (name && seen.emplace(*name, true).second) uses.push_back({view, i});
    }
  }
  std::mutex mutex;
  Status verified = Unit{};
  for_each_index(uses.size(), 0, [&](size_t i) {
    Buffer raw(reader.chunk_size(uses[i].view, uses[i].index));
    if (auto read = reader.read_chunk(uses[i].view, uses[i].index, raw); !read) {
      std::lock_guard lock(mutex);
      verified = read;
    }
  });
  if (!verified) return verified;
  for (const CodeObject& code_object : reader.manifest().code_objects) {
    if (auto read = reader.verify_code_object(code_object); !read) return read;
  }
  return verified;
}

// A folder beside the target that is removed unless it became the target.
class UnpackFolder {
 public:
  static Result<UnpackFolder> create(const fs::path& target) {
    std::string name = hidden_beside(target, ".unpack-XXXXXX").string();
    if (!::mkdtemp(name.data())) return io_error("cannot create", name, errno);
    if (::chmod(name.c_str(), 0755) != 0) return io_error("cannot change", name, errno);
    return UnpackFolder(name);
  }
  UnpackFolder(UnpackFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~UnpackFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  // Fails if something other than an empty folder has taken the name meanwhile.
  Status become(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return io_error("cannot rename to", target, errno);
    path_.clear();
    return sync_directory(target.parent_path());
  }

 private:
  explicit UnpackFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

// All files of the capture, each digest verified in the copy that is kept.
Status stage(const PackedFile& packed, const fs::path& folder) {
  for (const PlacedEntry& placed : packed.entries) {
    if (auto copied = copy_range(packed, placed, folder / placed.entry.name); !copied) return copied;
  }
  auto reader = Reader::open(folder, {});
  if (!reader) return reader.error();
  if ((*reader)->capture_digest() != packed.capture_sha256)
    return packed_invalid(packed.path, "changed while it was read");
  if (auto verified = verify_chunks(**reader); !verified) {
    return packed_invalid(packed.path, "has damaged content: " + verified.error().message);
  }
  for (const PlacedEntry& placed : packed.entries) {
    if (auto synced = sync_file(folder / placed.entry.name); !synced) return synced;
  }
  return sync_directory(folder);
}

// Whether it is the user's own: not a regular file, or without the beginning that even a damaged pack has.
bool is_foreign_pack(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::symlink_status(path, failure);
  if (status.type() == fs::file_type::not_found) return false;
  uint64_t size = 0;
  if (status.type() != fs::file_type::regular) return true;
  const auto file = open_for_reading(path, &size);
  if (!file || size < kPackHeader.size()) return true;
  Buffer first(kPackHeader.size());
  return !read_exactly(file->get(), 0, first, path) || !std::equal(first.begin(), first.end(), kPackHeader.begin());
}

// kWritten if nothing is at the target; an error if something else is.
Result<UnpackOutcome> outcome_for(const PackedFile& packed, const fs::path& target) {
  std::error_code failure;
  const fs::file_status status = fs::symlink_status(target, failure);
  if (status.type() == fs::file_type::not_found) return UnpackOutcome::kWritten;
  const auto taken = [&](const std::string& what) {
    return Error{"TARGET_EXISTS", target.string() + " exists, and is " + what,
                 "move it away, or name another folder with --to"};
  };
  if (status.type() != fs::file_type::directory) return taken("no folder");
  if (fs::is_empty(target, failure)) return UnpackOutcome::kWritten;
  if (const fs::path chunks = target / kPackFile; is_foreign_pack(chunks)) {
    return Error{"TARGET_EXISTS", chunks.string() + " exists, and no capture wrote it",
                 "move it away, or name another folder with --to"};
  }
  const auto present = Reader::open(target, {});
  if (!present) {
    // Its pack may be the damaged part.
    const auto text = read_text(target / kManifestFile, kMaxManifestText);
    if (!text || sha256({reinterpret_cast<const uint8_t*>(text->data()), text->size()}) != packed.capture_sha256)
      return taken("not this capture");
    return UnpackOutcome::kRepaired;
  }
  if ((*present)->capture_digest() != packed.capture_sha256) return taken("not this capture");
  return verify_chunks(**present) ? UnpackOutcome::kUnchanged : UnpackOutcome::kRepaired;
}

// The target's manifest stays; it gets the chunks, and the texts that it lacks.
Status repair(const PackedFile& packed, const fs::path& staged, const fs::path& target) {
  for (const PlacedEntry& placed : packed.entries) {
    const fs::path from = staged / placed.entry.name, to = target / placed.entry.name;
    if (placed.entry.name != kPackFile && fs::exists(fs::symlink_status(to))) continue;
    if (::rename(from.c_str(), to.c_str()) != 0) return io_error("cannot rename to", to, errno);
  }
  return sync_directory(target);
}

}  // namespace

Result<Unpacked> unpack_capture(const UnpackRequest& request) {
  const auto packed = open_packed(request.file);
  if (!packed) return packed.error();
  const Kernel& kernel = packed->manifest.kernel;
  if (!request.symbol.empty() && request.symbol != kernel.symbol) {
    return Error{"CAPTURE_INVALID",
                 request.file.string() + " is a capture of " + kernel.symbol + ", not of " + request.symbol,
                 "unpack it into the reproducer of its own kernel, or name another folder with --to"};
  }
  std::error_code failure;
  fs::path target = fs::absolute(request.target, failure).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  const auto outcome = outcome_for(*packed, target);
  if (!outcome) return outcome.error();
  const Unpacked unpacked{*outcome, packed->capture_sha256, packed->chunks, packed->size};
  if (*outcome == UnpackOutcome::kUnchanged) return unpacked;

  fs::create_directories(target.parent_path(), failure);
  if (failure) return io_error("cannot create", target.parent_path(), failure.value());
  auto staging = UnpackFolder::create(target);
  if (!staging) return staging.error();
  if (auto staged = stage(*packed, staging->path()); !staged) return staged.error();
  const auto done =
      *outcome == UnpackOutcome::kRepaired ? repair(*packed, staging->path(), target) : staging->become(target);
  if (!done) return done.error();
  return unpacked;
}

}  // namespace kernloop::archive
