#include "archive/store_gc.h"

#include <unistd.h>

#include <cerrno>
#include <set>

#include "archive/capture_scan.h"
#include "archive/file.h"
#include "archive/staging_folder.h"
#include "archive/store_listing.h"
#include "archive/store_lock.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

Result<std::set<Digest>> chunks_in_use(const GcRequest& request, size_t* captures) {
  std::vector<fs::path> skip = request.skip;
  skip.push_back(request.store);
  const auto scan = scan_captures(request.roots, skip);
  if (!scan) return scan.error();
  if (!scan->unreadable.empty()) {
    const Error& first = scan->unreadable.front();
    const size_t more = scan->unreadable.size() - 1;
    return Error{first.code,
                 "nothing was removed, since the chunks of a capture are not known: " + first.message +
                     (more ? " (and " + std::to_string(more) + " more)" : ""),
                 "restore that capture, or remove its folder if it is not needed, and run gc again"};
  }
  *captures = scan->captures.size();
  std::set<Digest> used;
  for (const FoundCapture& capture : scan->captures) {
    for (const auto& [digest, size] : capture.named) used.insert(digest);
  }
  return used;
}

int64_t now_ns() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

}  // namespace

Result<GcResult> collect_garbage(const GcRequest& request) {
  if (auto listed = list_store(request.store); !listed) return listed.error();  // before a lock file is made there
  const auto lock = StoreLock::own(request.store);
  if (!lock) return lock.error();
  GcResult result;
  const auto used = chunks_in_use(request, &result.captures);
  if (!used) return used.error();
  const auto files = list_store(request.store);
  if (!files) return files.error();
  const int64_t recent_from = now_ns() - std::chrono::nanoseconds(request.grace).count();
  for (const StoreFile& file : *files) {
    if (used->contains(file.digest)) {
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
  if (!request.dry_run) StagingFolder::sweep(request.store);
  return result;
}

}  // namespace kernloop::archive
