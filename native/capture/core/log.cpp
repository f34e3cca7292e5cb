#include "capture/core/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <new>

namespace kernloop::capture {

Log::Log() {
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0) return;
  stderr_device_ = status.st_dev;
  stderr_inode_ = status.st_ino;
}

void Log::open_as(std::string pattern) {
  std::lock_guard lock(mutex_);
  pattern_ = std::move(pattern);
}

void Log::after_fork_in_child() {
  // The parent's other threads may have held the mutex at the fork.
  new (&mutex_) std::mutex;
}

void Log::write(const char* text) {
  std::lock_guard lock(mutex_);
  if (pattern_.empty()) return;
  std::string path = pattern_;
  if (const size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  dprintf(fd, "%lld.%06ld %d %s\n", static_cast<long long>(now.tv_sec), now.tv_nsec / 1000, static_cast<int>(getpid()),
          text);
  close(fd);
}

void Log::line(const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  write(text);
}

void Log::alarm(const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  write(text);
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0 || status.st_dev != stderr_device_ || status.st_ino != stderr_inode_) return;
  dprintf(STDERR_FILENO, "kernloop: %s\n", text);
}

}  // namespace kernloop::capture
