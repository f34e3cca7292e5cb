#include "archive/store_check.h"

#include <algorithm>
#include <mutex>

#include "archive/chunk_store.h"
#include "archive/file.h"
#include "archive/parallel.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

using Users = std::map<Digest, std::vector<fs::path>>;

// Those that have a chunk in their own pack do not need the store's.
Users users_of(const CaptureScan& scan) {
  Users users;
  for (const FoundCapture& capture : scan.captures) {
    for (const auto& [digest, size] : capture.named) {
      if (!capture.packed.contains(digest)) users[digest].push_back(capture.directory);
    }
  }
  return users;
}

Result<Buffer> load(const StoreFile& file, uint64_t most) {
  uint64_t size = 0;
  const auto open = open_for_reading(file.path, &size);
  if (!open) return open.error();
  Buffer stored(std::min(size, most));
  if (auto read = read_exactly(open->get(), 0, stored, file.path); !read) return read.error();
  return stored;
}

Status verify(const StoreFile& file) {
  const uint64_t most = max_stored_bytes(kMaxChunkBytes);
  if (file.bytes > most)
    return Error{"CHUNK_CORRUPT", "has an impossible size of " + std::to_string(file.bytes) + " bytes", ""};
  const auto stored = load(file, most);
  if (!stored) return stored.error();
  const auto size = raw_bytes_of(file.encoding, *stored, stored->size());
  if (!size) return Error{"CHUNK_CORRUPT", "does not say how large it is", ""};
  Buffer raw(*size);
  if (auto decoded = decode_chunk(file.encoding, *stored, raw); !decoded) return decoded;
  if (sha256(raw) == file.digest) return Unit{};
  return Error{"CHUNK_CORRUPT", "its content has another digest", ""};
}

}  // namespace

Result<StoreCheck> check_store(const fs::path& store, const CaptureScan& scan, const std::vector<fs::path>& others) {
  const auto files = list_store(store);
  if (!files) return files.error();
  StoreCheck check;
  check.captures = scan.captures.size();
  check.unreadable = scan.unreadable;
  const Users users = users_of(scan);
  const auto captures_with = [&](const Digest& digest) {
    const auto found = users.find(digest);
    return found == users.end() ? std::vector<fs::path>() : found->second;
  };

  std::mutex mutex;
  std::set<Digest> present;
  for_each_index(files->size(), 0, [&](size_t i) {
    const StoreFile& file = (*files)[i];
    const Status verified = verify(file);
    std::lock_guard lock(mutex);
    if (!verified && verified.error().code == "FILE_NOT_FOUND") return;  // removed since it was listed
    ++check.chunks;
    check.bytes += file.bytes;
    present.insert(file.digest);
    if (!verified)
      check.damaged.push_back(
          {file.digest, file.path.string() + ": " + verified.error().message, captures_with(file.digest)});
  });
  std::sort(check.damaged.begin(), check.damaged.end(),
            [](const StoreProblem& a, const StoreProblem& b) { return a.message < b.message; });

  for (const auto& [digest, captures] : users) {
    const bool elsewhere = std::any_of(others.begin(), others.end(), [&, &digest = digest](const fs::path& other) {
      return ChunkStore(other).stored_bytes(digest).has_value();
    });
    if (!present.contains(digest) && !elsewhere)
      check.missing.push_back({digest, "chunk " + digest.hex() + " is missing", captures});
  }
  return check;
}

Result<StoreStats> measure_store(const fs::path& store, const CaptureScan& scan) {
  const auto files = list_store(store);
  if (!files) return files.error();
  StoreStats stats;
  stats.unreadable = scan.unreadable;
  std::map<Digest, size_t> uses;
  for (const FoundCapture& capture : scan.captures) {
    for (const auto& [digest, size] : capture.named) ++uses[digest];
  }
  std::map<Digest, uint64_t> stored;
  for (const StoreFile& file : *files) {
    const size_t used = uses.contains(file.digest) ? uses.at(file.digest) : 0;
    if (stored[file.digest] == 0) {  // not the other encoding of one counted before
      ++stats.chunks;
      stats.chunks_unused += used == 0;
      stats.chunks_shared += used > 1;
      const auto head = load(file, kFrameHeaderBytes);
      if (head) stats.bytes_raw += raw_bytes_of(file.encoding, *head, file.bytes).value_or(0);
    }
    stored[file.digest] += file.bytes;
    stats.bytes_stored += file.bytes;
    if (used == 0) stats.bytes_unused += file.bytes;
    if (used > 1) stats.bytes_shared += file.bytes;
  }
  for (const FoundCapture& capture : scan.captures) {
    CaptureUse use{capture.directory, capture.kernel};
    for (const auto& [digest, size] : capture.named) {
      const auto found = stored.find(digest);
      if (found == stored.end()) {
        use.chunks_missing += !capture.packed.contains(digest);
        continue;
      }
      ++use.chunks;
      use.bytes += found->second;
      if (uses.at(digest) == 1) use.bytes_own += found->second;
    }
    stats.captures.push_back(std::move(use));
  }
  return stats;
}

}  // namespace kernloop::archive
