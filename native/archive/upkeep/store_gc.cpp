#include "archive/upkeep/store_gc.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "archive/files/file.h"
#include "archive/store/staging_folder.h"
#include "archive/store/store_listing.h"
#include "archive/store/store_lock.h"
#include "archive/upkeep/capture_scan.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

Result<CaptureScan> captures_below(const GcRequest& request) {
  std::vector<fs::path> skip = request.skip;
  skip.push_back(request.store);
  auto scan = scan_captures(request.roots, skip);
  if (!scan) return scan.error();
  const auto refused = [](const std::vector<Error>& errors, const char* why, const char* hint) {
    const Error& first = errors.front();
    const size_t more = errors.size() - 1;
    return Error{first.code,
                 std::string("nothing was removed, since ") + why + ": " + first.message +
                     (more ? " (and " + std::to_string(more) + " more)" : ""),
                 hint};
  };
  if (!scan->unreadable.empty())
    return refused(
        scan->unreadable, "the chunks of a capture are not known",
        "restore that capture, make it readable, or remove its folder if it is not needed, and run gc again");
  if (!scan->absent.empty())
    return refused(scan->absent, "captures may lie behind a link",
                   "mount what it leads to, or remove the link if it is not needed, and run gc again");
  return scan;
}

int64_t now_ns() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

Status collect(const GcRequest& request, const std::vector<StoreFile>& files, const std::vector<ChunkUse>& uses,
               int64_t recent_from, GcResult& result) {
  for (const StoreFile& file : files) {
    if (std::ranges::binary_search(uses, file.digest, {}, &ChunkUse::digest)) {
      ++result.chunks_kept;
      result.bytes_kept += file.bytes;
    } else if (file.modified_ns > recent_from) {
      ++result.chunks_recent;
      result.bytes_recent += file.bytes;
    } else {
      if (!request.dry_run && ::unlink(file.path.c_str()) != 0) return io_error("cannot remove", file.path, errno);
      ++result.chunks_removed;
      result.bytes_removed += file.bytes;
    }
  }
  return Unit{};
}

}  // namespace

Result<GcResult> collect_garbage(const GcRequest& request) {
  if (auto found = find_store(request.store); !found) return found.error();  // before a lock file is made there
  const auto lock = StoreLock::own(request.store);
  if (!lock) return lock.error();
  GcResult result;
  const auto scan = captures_below(request);
  if (!scan) return scan.error();
  result.captures = scan->captures.size();
  const int64_t recent_from = now_ns() - std::chrono::nanoseconds(request.grace).count();
  for (unsigned first = 0; first < 256; ++first) {
    const auto files = list_store(request.store, static_cast<uint8_t>(first));
    if (!files) return files.error();
    const auto uses = scan->named.beginning_with(static_cast<uint8_t>(first));
    if (!uses) return uses.error();
    if (auto collected = collect(request, *files, *uses, recent_from, result); !collected) return collected.error();
  }
  if (!request.dry_run) StagingFolder::sweep(request.store);
  return result;
}

}  // namespace kernloop::archive
