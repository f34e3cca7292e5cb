#include "archive/store/store_listing.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "archive/files/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kZstdSuffix = ".zst";

// The chunk of a file name in the folder of its first two digits.
std::optional<StoreFile> chunk_named(const std::string& folder, std::string_view name) {
  StoreFile file;
  if (name.ends_with(kZstdSuffix)) {
    file.encoding = Encoding::kZstd;
    name.remove_suffix(kZstdSuffix.size());
  }
  const auto digest = Digest::parse(name);
  if (!digest || digest->hex() != name || !name.starts_with(folder)) return std::nullopt;
  file.digest = *digest;
  return file;
}

Status list_folder(const fs::path& folder, std::vector<StoreFile>& files) {
  std::error_code failure;
  fs::directory_iterator entries(folder, failure);
  for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
    auto file = chunk_named(folder.filename().string(), entries->path().filename().string());
    if (!file) continue;
    struct stat status;
    if (::lstat(entries->path().c_str(), &status) != 0) {
      if (errno == ENOENT) continue;  // removed since the folder was opened
      return io_error("cannot look at", entries->path(), errno);
    }
    if (!S_ISREG(status.st_mode)) continue;
    file->path = entries->path();
    file->bytes = static_cast<uint64_t>(status.st_size);
    file->modified_ns = status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
    files.push_back(std::move(*file));
  }
  return failure ? Status(io_error("cannot read", folder, failure.value())) : Status(Unit{});
}

}  // namespace

Status find_store(const fs::path& store) {
  std::error_code failure;
  const fs::directory_iterator entries(store, failure);
  return failure ? Status(io_error("cannot read the store", store, failure.value())) : Status(Unit{});
}

Result<std::vector<StoreFile>> list_store(const fs::path& store, uint8_t first) {
  std::vector<StoreFile> files;
  const fs::path folder = store / to_hex(Bytes(&first, 1));
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return files;
    return io_error("cannot look at", folder, errno);
  }
  if (!S_ISDIR(status.st_mode)) return files;
  if (auto listed = list_folder(folder, files); !listed) return listed.error();
  std::sort(files.begin(), files.end(), [](const StoreFile& a, const StoreFile& b) {
    return a.digest != b.digest ? a.digest < b.digest : a.encoding < b.encoding;
  });
  return files;
}

}  // namespace kernloop::archive
