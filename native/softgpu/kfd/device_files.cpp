#include "softgpu/kfd/device_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace kernloop::softgpu::kfd {
namespace {

// The kernel's answer: `fstat` is ours, and says that these files are devices (libc_calls.cpp).
bool real_status(int fd, struct stat& status) {
  return ::syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) == 0;
}

}  // namespace

DeviceFiles::DeviceFiles()
    : kfd_(create("kernloop-kfd", kDoorbellOffset + kDoorbellBytes)),
      render_(create("kernloop-renderD128", uint64_t{1} << 46)) {}

DeviceFiles::Entry DeviceFiles::create(const char* name, uint64_t bytes) {
  FileDescriptor file(::memfd_create(name, MFD_CLOEXEC));
  struct stat status;
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 || !real_status(file.get(), status)) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  // Programs that close or count low descriptors do not meet it.
  constexpr int kHigh = 700;
  if (const int high = ::fcntl(file.get(), F_DUPFD_CLOEXEC, kHigh); high >= 0) file = FileDescriptor(high);
  return {std::move(file), status.st_dev, status.st_ino};
}

int DeviceFiles::open(DeviceFile file) const {
  return ::fcntl(descriptor(file), F_DUPFD_CLOEXEC, 0);
}

std::optional<DeviceFile> DeviceFiles::of_descriptor(int fd) const {
  struct stat status;
  if (!real_status(fd, status)) return std::nullopt;
  for (const DeviceFile file : {DeviceFile::kKfd, DeviceFile::kRender}) {
    if (status.st_ino == entry(file).inode && status.st_dev == entry(file).device) return file;
  }
  return std::nullopt;
}

}  // namespace kernloop::softgpu::kfd
