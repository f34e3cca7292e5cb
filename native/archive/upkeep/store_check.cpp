#include "archive/upkeep/store_check.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <span>

#include "archive/files/file.h"
#include "archive/files/parallel.h"
#include "archive/store/chunk_store.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

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

// The part of the store with one first byte, by digest.
struct Slice {
  std::vector<StoreFile> files;
  std::vector<ChunkUse> uses;

  // The uses of a chunk.
  std::span<const ChunkUse> uses_of(const Digest& digest) const {
    const auto found = std::ranges::equal_range(uses, digest, {}, &ChunkUse::digest);
    return {found.begin(), found.end()};
  }
};

Result<Slice> slice_of(const fs::path& store, const CaptureScan& scan, uint8_t first) {
  auto files = list_store(store, first);
  if (!files) return files.error();
  auto uses = scan.named.beginning_with(first);
  if (!uses) return uses.error();
  return Slice{std::move(*files), std::move(*uses)};
}

// Captures that have a chunk in their own pack do not need the store's.
std::vector<fs::path> captures_in_need(const CaptureScan& scan, std::span<const ChunkUse> uses) {
  std::vector<fs::path> captures;
  for (const ChunkUse& use : uses)
    if (!use.packed && captures.size() < kProblemsListed) captures.push_back(scan.captures[use.capture].directory);
  return captures;
}

void note(StoreProblems& problems, StoreProblem problem) {
  if (++problems.count <= kProblemsListed) problems.listed.push_back(std::move(problem));
}

// The digests that are there, good or damaged.
std::set<Digest> verify_files(const Slice& slice, const CaptureScan& scan, StoreCheck& check) {
  std::mutex mutex;
  std::set<Digest> present;
  std::vector<std::pair<const StoreFile*, std::string>> damaged;
  for_each_index(slice.files.size(), 0, [&](size_t i) {
    const StoreFile& file = slice.files[i];
    const Status verified = verify(file);
    std::lock_guard lock(mutex);
    if (!verified && verified.error().code == "FILE_NOT_FOUND") return;  // removed since it was listed
    ++check.chunks;
    check.bytes += file.bytes;
    present.insert(file.digest);
    if (!verified) damaged.emplace_back(&file, file.path.string() + ": " + verified.error().message);
  });
  // Threads find them in any order; the files are in one array, by digest.
  std::sort(damaged.begin(), damaged.end());
  for (auto& [file, message] : damaged)
    note(check.damaged, {file->digest, std::move(message), captures_in_need(scan, slice.uses_of(file->digest))});
  return present;
}

void find_missing(const Slice& slice, const std::set<Digest>& present, const CaptureScan& scan,
                  const std::vector<fs::path>& others, StoreCheck& check) {
  for (auto use = slice.uses.begin(); use != slice.uses.end();) {
    const Digest& digest = use->digest;
    const std::span<const ChunkUse> uses = slice.uses_of(digest);
    use += static_cast<std::ptrdiff_t>(uses.size());
    if (present.contains(digest)) continue;
    if (std::all_of(uses.begin(), uses.end(), [](const ChunkUse& each) { return each.packed != 0; })) continue;
    const bool elsewhere = std::any_of(others.begin(), others.end(), [&](const fs::path& other) {
      return ChunkStore(other).stored_bytes(digest).has_value();
    });
    if (!elsewhere)
      note(check.missing, {digest, "chunk " + digest.hex() + " is missing", captures_in_need(scan, uses)});
  }
}

// A chunk that several captures name counts for each of them, and is exclusive to none.
void measure(const Slice& slice, StoreStats& stats) {
  for (size_t i = 0; i < slice.files.size();) {
    const StoreFile& first = slice.files[i];
    const std::span<const ChunkUse> uses = slice.uses_of(first.digest);
    uint64_t bytes = 0;  // sum over both encodings, if there are two
    for (; i < slice.files.size() && slice.files[i].digest == first.digest; ++i) bytes += slice.files[i].bytes;
    ++stats.chunks;
    stats.chunks_unused += uses.empty();
    stats.chunks_shared += uses.size() > 1;
    const auto head = load(first, kFrameHeaderBytes);
    if (head) stats.bytes_raw += raw_bytes_of(first.encoding, *head, first.bytes).value_or(0);
    stats.bytes_stored += bytes;
    if (uses.empty()) stats.bytes_unused += bytes;
    if (uses.size() > 1) stats.bytes_shared += bytes;
    for (const ChunkUse& use : uses) {
      CaptureUse& capture = stats.captures[use.capture];
      ++capture.chunks;
      capture.bytes += bytes;
      if (uses.size() == 1) capture.bytes_own += bytes;
    }
  }
  const auto is_there = [&](const Digest& digest) {
    return std::ranges::binary_search(slice.files, digest, {}, &StoreFile::digest);
  };
  for (const ChunkUse& use : slice.uses)
    if (!use.packed && !is_there(use.digest)) ++stats.captures[use.capture].chunks_missing;
}

}  // namespace

Result<StoreCheck> check_store(const fs::path& store, const CaptureScan& scan, const std::vector<fs::path>& others) {
  if (auto found = find_store(store); !found) return found.error();
  StoreCheck check;
  check.captures = scan.captures.size();
  check.unreadable = scan.unreadable;
  for (unsigned first = 0; first < 256; ++first) {
    const auto slice = slice_of(store, scan, static_cast<uint8_t>(first));
    if (!slice) return slice.error();
    find_missing(*slice, verify_files(*slice, scan, check), scan, others, check);
  }
  return check;
}

Result<StoreStats> measure_store(const fs::path& store, const CaptureScan& scan) {
  if (auto found = find_store(store); !found) return found.error();
  StoreStats stats;
  stats.unreadable = scan.unreadable;
  for (const FoundCapture& capture : scan.captures) {
    CaptureUse& use = stats.captures.emplace_back();
    use.directory = capture.directory;
    use.kernel = capture.kernel;
  }
  for (unsigned first = 0; first < 256; ++first) {
    const auto slice = slice_of(store, scan, static_cast<uint8_t>(first));
    if (!slice) return slice.error();
    measure(*slice, stats);
  }
  return stats;
}

}  // namespace kernloop::archive
