#include "archive/store/staging_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

constexpr int kAttempts = 1000;  // each is lost only to another writer's sweep or name

fs::path parent_in(const fs::path& store) {
  return store / ".writing";
}

FileDescriptor open_folder(const fs::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_named(const FileDescriptor& folder, const fs::path& path) {
  struct stat ours, named;
  return ::fstat(folder.get(), &ours) == 0 && ::lstat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
         ours.st_dev == named.st_dev;
}

}  // namespace

Result<std::unique_ptr<StagingFolder>> StagingFolder::claim(const fs::path& store) {
  static std::atomic<uint64_t> counter{0};
  sweep(store);
  fs::path path;
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::error_code failure;
    fs::create_directories(parent_in(store), failure);
    if (failure) {
      // Found there, and gone when it was looked at: the last writer has just removed it.
      error = failure.value();
      if (error == EEXIST || error == ENOENT || error == ENOTDIR) continue;
      return io_error("cannot create", parent_in(store), error);
    }
    path = parent_in(store) / (std::to_string(::getpid()) + '.' + std::to_string(counter.fetch_add(1)));
    if (::mkdir(path.c_str(), 0755) != 0) {
      error = errno;
      // A process of another machine or container has the number; or the last writer has just removed the parent.
      if (error == EEXIST || error == ENOENT) continue;
      break;
    }
    FileDescriptor lock = open_folder(path);
    // Before it was locked, another writer may have taken it for a dead writer's.
    if (!lock || (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || !is_named(lock, path)) {
      error = EAGAIN;
      continue;
    }
    return std::unique_ptr<StagingFolder>(new StagingFolder(path, std::move(lock)));
  }
  return io_error("cannot create", path, error);
}

StagingFolder::~StagingFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::rmdir(path_.parent_path().c_str());  // unless others are in it
}

void StagingFolder::sweep(const fs::path& store) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(parent_in(store), failure)) {
    const FileDescriptor folder = open_folder(entry.path());
    if (!folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
  ::rmdir(parent_in(store).c_str());
}

}  // namespace kernloop::archive
