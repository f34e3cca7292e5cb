#include "capture/core/own_descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace kernloop::capture {
namespace {

// Below the limit of open files, with room for a few.
int high_number() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 512;
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur - limit.rlim_cur / 16, 4096));
}

}  // namespace

OwnDescriptor::OwnDescriptor(int fd) : fd_(fd) {
  if (fd_ < 0) return;
  if (const int high = fcntl(fd_, F_DUPFD_CLOEXEC, high_number()); high >= 0) ::close(std::exchange(fd_, high));
  struct stat status {};
  if (fstat(fd_, &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  kind_ = status.st_mode & S_IFMT;
}

bool OwnDescriptor::is_ours() const {
  struct stat status {};
  return fd_ >= 0 && fstat(fd_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_ &&
         (status.st_mode & S_IFMT) == kind_;
}

void OwnDescriptor::close() {
  if (is_ours()) ::close(fd_);
  fd_ = -1;
}

}  // namespace kernloop::capture
