// The calls of libc by which libhsakmt and libdrm reach a driver. mmap, munmap, close and read need nothing: the
// devices are files (device_files.h).
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "softgpu/kfd/driver.h"
#include "softgpu/kfd/gpu_model.h"
#include "softgpu/kfd/paths.h"
#include "softgpu/kfd/render_node.h"

namespace {

using namespace kernloop::softgpu::kfd;

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

using Open = int(const char*, int, ...);

int open_at(Open* real_open, const char* path, int flags, mode_t mode) {
  if (const auto device = device_at(path)) {
    Driver* const driver = Driver::instance();
    return driver == nullptr ? -1 : driver->files().open(*device);
  }
  const auto other = stand_in(path);
  return real_open(other ? other->c_str() : path, flags, mode);
}

// The mode is passed only if the flags require it.
mode_t mode_of(int flags, va_list list) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

void describe(DeviceFile device, struct stat& status) {
  status.st_mode = S_IFCHR | 0666;
  status.st_rdev = device == DeviceFile::kKfd ? makedev(511, 0) : makedev(226, kRenderMinor);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  static Open* const next = real<Open>("open");
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(next, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  static Open* const next = real<Open>("open64");
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(next, path, flags, mode);
}

// glibc's variants of the two above, used with flag checks.
int __open_2(const char* path, int flags) {
  return open(path, flags);
}

int __open64_2(const char* path, int flags) {
  return open64(path, flags);
}

FILE* fopen(const char* path, const char* mode) {
  static auto* const next = real<FILE*(const char*, const char*)>("fopen");
  const auto other = stand_in(path);
  return next(other ? other->c_str() : path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  static auto* const next = real<FILE*(const char*, const char*)>("fopen64");
  const auto other = stand_in(path);
  return next(other ? other->c_str() : path, mode);
}

DIR* opendir(const char* path) {
  static auto* const next = real<DIR*(const char*)>("opendir");
  const auto other = stand_in(path);
  return next(other ? other->c_str() : path);
}

int access(const char* path, int mode) {
  static auto* const next = real<int(const char*, int)>("access");
  if (device_at(path)) return 0;
  const auto other = stand_in(path);
  return next(other ? other->c_str() : path, mode);
}

int stat(const char* path, struct stat* status) {
  static auto* const next = real<int(const char*, struct stat*)>("stat");
  if (const auto device = device_at(path)) {
    *status = {};
    describe(*device, *status);
    return 0;
  }
  const auto other = stand_in(path);
  return next(other ? other->c_str() : path, status);
}

// On x86-64 both structures are one.
int stat64(const char* path, struct stat64* status) {
  return stat(path, reinterpret_cast<struct stat*>(status));
}

int fstat(int fd, struct stat* status) {
  static auto* const next = real<int(int, struct stat*)>("fstat");
  const int result = next(fd, status);
  Driver* const driver = result == 0 ? Driver::existing() : nullptr;
  if (driver == nullptr) return result;
  if (const auto device = driver->files().of_descriptor(fd)) describe(*device, *status);
  return result;
}

int fstat64(int fd, struct stat64* status) {
  return fstat(fd, reinterpret_cast<struct stat*>(status));
}

int ioctl(int fd, unsigned long request, ...) {
  static auto* const next = real<int(int, unsigned long, ...)>("ioctl");
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  Driver* const driver = Driver::existing();
  const auto device = driver == nullptr ? std::nullopt : driver->files().of_descriptor(fd);
  if (!device) return next(fd, request, argument);
  const int reason =
      *device == DeviceFile::kKfd ? driver->call(request, argument) : render_call(*driver, request, argument);
  if (reason == 0) return 0;
  errno = reason;
  return -1;
}

}  // extern "C"
#pragma GCC visibility pop
