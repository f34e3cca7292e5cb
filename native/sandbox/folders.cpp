#include "sandbox/folders.h"

#include <dirent.h>
#include <fts.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace kernloop::sandbox {
namespace {

constexpr uint64_t kLeastBytes = 4096;

uint64_t bytes_of(const struct stat& facts) {
  return std::max<uint64_t>(static_cast<uint64_t>(facts.st_blocks) * 512, kLeastBytes);
}

/// Follows no link, and reaches paths of any length: fts changes the working directory. Ends if `see` returns false.
void walk(const std::string& folder, const std::function<bool(FTS*, FTSENT*)>& see) {
  std::string path = folder;
  char* const paths[] = {path.data(), nullptr};
  const std::unique_ptr<FTS, int (*)(FTS*)> tree(fts_open(paths, FTS_PHYSICAL | FTS_XDEV, nullptr), &fts_close);
  while (tree)
    if (FTSENT* entry = fts_read(tree.get()); entry == nullptr || !see(tree.get(), entry)) return;
}

/// Adds removed files that a process holds open; false if its descriptors are hidden.
bool add_removed(pid_t pid, std::set<std::pair<dev_t, ino_t>>& seen, uint64_t& sum) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), &closedir);
  if (!folder) return errno == ENOENT || errno == ESRCH;
  while (const dirent* entry = readdir(folder.get())) {
    struct stat facts {};
    if (stat((path + "/" + entry->d_name).c_str(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_nlink != 0)
      continue;
    if (seen.insert({facts.st_dev, facts.st_ino}).second) sum += bytes_of(facts);
  }
  return true;
}

}  // namespace

std::optional<uint64_t> used_bytes(std::span<const std::string> folders, const Tree& tree, uint64_t most) {
  uint64_t sum = 0;
  bool is_hidden = false;
  for (const auto& folder : folders)
    walk(folder, [&](FTS*, FTSENT* entry) {
      const bool has_failed = entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS;
      // An entry may be removed meanwhile.
      if (has_failed && entry->fts_errno != ENOENT) is_hidden = true;
      if (!has_failed && entry->fts_info != FTS_DP) sum += bytes_of(*entry->fts_statp);
      return sum <= most && !is_hidden;
    });
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const pid_t pid : tree.pids)
    if (sum <= most && !add_removed(pid, seen, sum)) is_hidden = true;
  if (is_hidden) return std::nullopt;
  return sum;
}

void make_removable(std::span<const std::string> folders) {
  for (const auto& folder : folders)
    walk(folder, [](FTS* tree, FTSENT* entry) {
      const bool is_closed =
          entry->fts_info == FTS_DNR || (entry->fts_info == FTS_D && (~entry->fts_statp->st_mode & S_IRWXU));
      if (!is_closed || entry->fts_level == 0) return true;
      const bool is_opened = chmod(entry->fts_accpath, S_IRWXU) == 0;
      // Read once more, now that it can be.
      if (entry->fts_info == FTS_DNR && is_opened) fts_set(tree, entry, FTS_AGAIN);
      return true;
    });
}

}  // namespace kernloop::sandbox
