// Buffers and shared ranges, as the memory ioctls of /dev/kfd make them. An address of the GPU is the same address of
// the host (ROCr's aperture on gfx9 and later), so mapping for the GPU is an entry of the engine's address space.
#pragma once

#include <linux/kfd_ioctl.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "softgpu/engine/engine.h"
#include "softgpu/kfd/device_files.h"

namespace kernloop::softgpu::kfd {

// Functions return 0 or an errno.
class Memory {
 public:
  Memory(const DeviceFiles& files, AddressSpace& space, Engine& engine)
      : files_(files), space_(space), engine_(engine) {}

  int allocate(kfd_ioctl_alloc_memory_of_gpu_args& args);
  int free(uint64_t handle);
  int map(uint64_t handle);
  int unmap(uint64_t handle);
  int set_or_get_attributes(kfd_ioctl_svm_args& args);
  uint64_t available();
  // The host address of a buffer.
  std::optional<uint64_t> address_of(uint64_t handle);
  // The kernel's driver hears of munmap by MMU notifiers; here shared ranges are looked at before each dispatch.
  void forget_unmapped();

 private:
  struct Buffer {
    uint64_t address, bytes, offset;
    uint32_t flags;
    bool is_mapped;
  };
  void unmap_range(uint64_t address, uint64_t bytes);

  const DeviceFiles& files_;
  AddressSpace& space_;
  Engine& engine_;
  std::mutex mutex_;
  std::map<uint64_t, Buffer> buffers_;
  std::map<uint64_t, uint64_t> shared_;  // ranges of the SVM calls: begin and bytes
  uint64_t next_handle_ = 1;
  uint64_t next_offset_ = uint64_t{1} << 32;
  uint64_t vram_used_ = 0;
};

}  // namespace kernloop::softgpu::kfd
