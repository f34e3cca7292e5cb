#include "archive/store/chunk_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "archive/files/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

constexpr Encoding kEncodings[] = {Encoding::kRaw, Encoding::kZstd};
constexpr size_t kCompareBytes = 256u << 10;

// Whether the file holds just these bytes: in little memory, as every thread of a writer may be at it.
bool holds(const fs::path& path, Bytes stored) {
  uint64_t size = 0;
  const auto file = open_for_reading(path, &size);
  if (!file || size != stored.size()) return false;
  Buffer piece(std::min<size_t>(kCompareBytes, stored.size()));
  for (size_t at = 0; at < stored.size(); at += piece.size()) {
    const std::span<uint8_t> part(piece.data(), std::min(piece.size(), stored.size() - at));
    if (!read_exactly(file->get(), at, part, path)) return false;
    if (!std::equal(part.begin(), part.end(), stored.begin() + at)) return false;
  }
  return true;
}

}  // namespace

fs::path ChunkStore::path_of(const Digest& digest, Encoding encoding) const {
  const std::string hex = digest.hex();
  return root_ / hex.substr(0, 2) / (encoding == Encoding::kZstd ? hex + ".zst" : hex);
}

Status StoreSession::hold(const fs::path& store) {
  std::lock_guard lock(mutex_);
  if (lock_) return Unit{};
  auto shared = StoreLock::share(store);
  if (!shared) return shared.error();
  lock_ = std::move(*shared);
  return Unit{};
}

Result<fs::path> StoreSession::staging(const fs::path& store) {
  std::lock_guard lock(mutex_);
  if (!staging_) {
    auto claimed = StagingFolder::claim(store);
    if (!claimed) return claimed.error();
    staging_ = std::move(*claimed);
  }
  return staging_->path();
}

bool StoreSession::proves(const ChunkStore& store, const Digest& digest, uint32_t raw_bytes) {
  std::lock_guard lock(proving_);
  Buffer present(raw_bytes);
  const auto got = store.get(digest, present);
  return got && *got;
}

void StoreSession::changed(const fs::path& folder) {
  std::lock_guard lock(mutex_);
  folders_.insert(folder);
}

Status StoreSession::sync() {
  std::lock_guard lock(mutex_);
  for (const fs::path& folder : folders_) {
    if (auto synced = sync_directory(folder); !synced) return synced;
  }
  folders_.clear();
  return Unit{};
}

Result<uint64_t> ChunkStore::put(const Digest& digest, uint32_t raw_bytes, Encoding encoding, Bytes stored,
                                 StoreSession* session) const {
  StoreSession own;
  StoreSession& changes = session != nullptr ? *session : own;
  if (auto held = changes.hold(root_); !held) return held.error();
  const Encoding other = encoding == Encoding::kRaw ? Encoding::kZstd : Encoding::kRaw;
  if (stored_bytes(digest)) {
    // A good copy is proven by reading it: a completed capture is readable, even if the store was damaged before.
    const bool is_alone = ::access(path_of(digest, other).c_str(), F_OK) != 0;
    const bool is_good =
        (is_alone && holds(path_of(digest, encoding), stored)) || changes.proves(*this, digest, raw_bytes);
    if (is_good && touch(digest)) return uint64_t{0};
  }
  const fs::path path = path_of(digest, encoding);
  std::error_code failure;
  // A chunk is as durable as the folders that lead to it.
  if (fs::create_directories(path.parent_path(), failure)) changes.changed(root_);
  if (failure) return io_error("cannot create", path.parent_path(), failure.value());
  const auto staging = changes.staging(root_);
  if (!staging) return staging.error();
  if (auto written = replace_file(path, stored, *staging); !written) return written.error();
  changes.changed(path.parent_path());
  // get() tries raw first: a damaged copy in the other encoding must not hide the good one.
  ::unlink(path_of(digest, other).c_str());
  if (auto synced = own.sync(); !synced) return synced.error();
  return static_cast<uint64_t>(stored.size());
}

bool ChunkStore::touch(const Digest& digest) const {
  bool touched = false;
  for (Encoding encoding : kEncodings) {
    touched |= ::utimensat(AT_FDCWD, path_of(digest, encoding).c_str(), nullptr, AT_SYMLINK_NOFOLLOW) == 0;
  }
  return touched;
}

Result<bool> ChunkStore::get(const Digest& digest, std::span<uint8_t> raw) const {
  std::optional<Error> damaged;
  for (Encoding encoding : kEncodings) {
    const fs::path path = path_of(digest, encoding);
    uint64_t size = 0;
    auto file = open_for_reading(path, &size);
    if (!file) {
      if (file.error().code != "FILE_NOT_FOUND") damaged = file.error();
      continue;
    }
    Status decoded = Error{"CHUNK_CORRUPT", "has an impossible size of " + std::to_string(size) + " bytes", ""};
    if (size <= max_stored_bytes(raw.size())) {
      Buffer stored(size);
      decoded = read_exactly(file->get(), 0, stored, path);
      if (decoded) decoded = decode_chunk(encoding, stored, raw);
      if (decoded && sha256(raw) == digest) return true;
      if (decoded) decoded = Error{"CHUNK_CORRUPT", "its content has another digest", ""};
    }
    damaged = Error{"CHUNK_CORRUPT", path.string() + ": " + decoded.error().message,
                    "delete that file and capture again, or fetch the chunk from another store"};
  }
  if (damaged) return *damaged;
  return false;
}

std::optional<uint64_t> ChunkStore::stored_bytes(const Digest& digest) const {
  for (Encoding encoding : kEncodings) {
    struct stat status;
    if (::stat(path_of(digest, encoding).c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      return static_cast<uint64_t>(status.st_size);
    }
  }
  return std::nullopt;
}

}  // namespace kernloop::archive
