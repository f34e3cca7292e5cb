// Preloaded into a program under the kill test: counts its calls that change files or sockets, and at the chosen one
// kills whom the environment names. Progress is counted in such calls, so that a number means the same point on a slow
// machine and on a fast one.
//
//   KERNLOOP_KILL_AT=N           the call, from 1; without it calls are only counted
//   KERNLOOP_KILL_VICTIMS=w…     of `self` (SIGKILL), `term` (SIGTERM to ourselves, as when the stage dies),
//                                `peer` (SIGKILL to the process named in the file below)
//   KERNLOOP_KILL_PEER_FILE=F    holds a process id when there is a peer
//   KERNLOOP_KILL_TEAR=1         a write that is the chosen call does half of its bytes first
//   KERNLOOP_KILL_COUNT_FILE=F   how many calls there were, written when the program ends
//   KERNLOOP_KILL_NO_EXCHANGE=1  renameat2 fails as on a file system that cannot exchange
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Settings {
  uint64_t at = 0;
  bool self = false, term = false, peer = false, tear = false, no_exchange = false;
  std::string peer_file, count_file;

  Settings() {
    const auto text = [](const char* name) { return std::string(getenv(name) != nullptr ? getenv(name) : ""); };
    at = strtoull(text("KERNLOOP_KILL_AT").c_str(), nullptr, 10);
    const std::string victims = text("KERNLOOP_KILL_VICTIMS");
    self = victims.find("self") != std::string::npos;
    term = victims.find("term") != std::string::npos;
    peer = victims.find("peer") != std::string::npos;
    tear = !text("KERNLOOP_KILL_TEAR").empty();
    no_exchange = !text("KERNLOOP_KILL_NO_EXCHANGE").empty();
    peer_file = text("KERNLOOP_KILL_PEER_FILE");
    count_file = text("KERNLOOP_KILL_COUNT_FILE");
    // Child processes of this program are not part of the test.
    unsetenv("LD_PRELOAD");
  }
};

const Settings& settings() {
  static const Settings* const read = new Settings;  // lives as long as the last call
  return *read;
}

std::atomic<uint64_t> calls{0};

void kill_peer() {
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, settings().peer_file.c_str(), O_RDONLY | O_CLOEXEC));
  char text[32] = {};
  if (file >= 0 && syscall(SYS_read, file, text, sizeof text - 1) > 0 && atoi(text) > 1) kill(atoi(text), SIGKILL);
  if (file >= 0) syscall(SYS_close, file);
}

void strike() {
  if (settings().peer) kill_peer();
  if (settings().term) kill(getpid(), SIGTERM);
  if (settings().self) kill(getpid(), SIGKILL);
}

bool is_chosen() {
  return calls.fetch_add(1) + 1 == settings().at;
}

void point() {
  if (is_chosen()) strike();
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <typename Half>
void tearing_point(Half half) {
  if (!is_chosen()) return;
  if (settings().tear && settings().self) half();
  strike();
}

__attribute__((destructor)) void tell_count() {
  if (settings().count_file.empty()) return;
  const std::string text = std::to_string(calls.load());
  const int file = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, settings().count_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file < 0) return;
  syscall(SYS_write, file, text.data(), text.size());
  syscall(SYS_close, file);
}

}  // namespace

#define KILL_POINT(result, name, parameters, ...)                            \
  extern "C" __attribute__((visibility("default"))) result name parameters { \
    static const auto real = next<result(*) parameters>(#name);              \
    point();                                                                 \
    return real(__VA_ARGS__);                                                \
  }

KILL_POINT(int, rename, (const char* from, const char* to), from, to)
KILL_POINT(int, unlink, (const char* path), path)
KILL_POINT(int, unlinkat, (int folder, const char* path, int flags), folder, path, flags)
KILL_POINT(int, remove, (const char* path), path)
KILL_POINT(int, rmdir, (const char* path), path)
KILL_POINT(int, mkdir, (const char* path, mode_t mode), path, mode)
KILL_POINT(int, fsync, (int fd), fd)
KILL_POINT(int, fdatasync, (int fd), fd)
KILL_POINT(int, ftruncate, (int fd, off_t size), fd, size)
KILL_POINT(int, ftruncate64, (int fd, off_t size), fd, size)
KILL_POINT(int, flock, (int fd, int operation), fd, operation)
KILL_POINT(int, sync_file_range, (int fd, off_t at, off_t count, unsigned flags), fd, at, count, flags)
KILL_POINT(int, bind, (int fd, const sockaddr* address, socklen_t size), fd, address, size)
KILL_POINT(ssize_t, send, (int fd, const void* data, size_t size, int flags), fd, data, size, flags)
KILL_POINT(ssize_t, sendmsg, (int fd, const msghdr* message, int flags), fd, message, flags)

#define KILL_EXPORT extern "C" __attribute__((visibility("default")))

KILL_EXPORT ssize_t write(int fd, const void* data, size_t size) {
  tearing_point([&] { syscall(SYS_write, fd, data, size / 2); });
  return syscall(SYS_write, fd, data, size);
}

KILL_EXPORT ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  tearing_point([&] { syscall(SYS_pwrite64, fd, data, size / 2, at); });
  return syscall(SYS_pwrite64, fd, data, size, at);
}

KILL_EXPORT ssize_t pwrite64(int fd, const void* data, size_t size, off_t at) {
  return pwrite(fd, data, size, at);
}

KILL_EXPORT int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  point();
  if (settings().no_exchange) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

// Only those that may create a file.
KILL_EXPORT int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0) point();
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

KILL_EXPORT int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}
