// The device files, which are sparse memory files: mmap, dup, close and fork of them are the kernel's own. A descriptor
// is known by its inode.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"

namespace kernloop::softgpu::kfd {

enum class DeviceFile : uint8_t { kKfd, kRender };

// Places in the file behind /dev/kfd. The low 32 bits of the doorbells' are 0: libhsakmt before ROCm 6 takes them all
// for the place in the page, as long as it does not know the page's size.
constexpr uint64_t kDoorbellOffset = uint64_t{1} << 32, kDoorbellBytes = 0x2000;
constexpr uint64_t kMmioOffset = 0x20000;

class DeviceFiles {
 public:
  // Throws std::system_error.
  DeviceFiles();
  // A new descriptor of the device, or -1 with errno.
  int open(DeviceFile file) const;
  std::optional<DeviceFile> of_descriptor(int fd) const;
  int descriptor(DeviceFile file) const { return entry(file).descriptor.get(); }

 private:
  struct Entry {
    FileDescriptor descriptor;
    dev_t device;
    ino_t inode;
  };
  static Entry create(const char* name, uint64_t bytes);
  const Entry& entry(DeviceFile file) const { return file == DeviceFile::kKfd ? kfd_ : render_; }

  const Entry kfd_, render_;
};

}  // namespace kernloop::softgpu::kfd
