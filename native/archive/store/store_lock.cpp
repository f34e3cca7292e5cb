#include "archive/store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

Result<FileDescriptor> open_store(const fs::path& store) {
  FileDescriptor folder(::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return io_error("cannot open the store", store, errno);
  return folder;
}

// 0, or the error number.
int lock(const FileDescriptor& folder, int how) {
  while (::flock(folder.get(), how) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

Result<StoreLock> StoreLock::share(const fs::path& store) {
  std::error_code failure;
  fs::create_directories(store, failure);
  if (failure) return io_error("cannot create", store, failure.value());
  auto folder = open_store(store);
  if (!folder) return folder.error();
  lock(*folder, LOCK_SH);
  return StoreLock(std::move(*folder));
}

Result<StoreLock> StoreLock::own(const fs::path& store) {
  auto folder = open_store(store);
  if (!folder) return folder.error();
  const int failed = lock(*folder, LOCK_EX | LOCK_NB);
  if (failed == 0) return StoreLock(std::move(*folder));
  if (failed != EWOULDBLOCK) {
    return Error{"IO_ERROR", "cannot lock " + store.string() + ", so that no capture is written to it meanwhile",
                 "keep the store on a file system with locks, or run gc on the machine that has it"};
  }
  return Error{"STORE_BUSY", store.string() + " is in use: a capture is being written to it, or another gc runs",
               "run gc again once that has ended"};
}

}  // namespace kernloop::archive
