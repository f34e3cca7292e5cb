// Buffers and shared ranges, as the memory ioctls of /dev/kfd make them. An address of the GPU is the same address of
// the host (ROCr's aperture on gfx9 and later), so mapping for the GPU is an entry of the engine's address space.
#pragma once

#include <linux/kfd_ioctl.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "softgpu/engine/engine.h"
#include "softgpu/kfd/device_files.h"
#include "softgpu/kfd/linux_6_12_calls.h"

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
  // A buffer without an address as a file, and a file's buffer as a handle of the render node, which a call of that
  // shows at addresses of the GPU (virtual memory management).
  int export_dmabuf(ExportDmabuf& args);
  int import_dmabuf(int descriptor, uint32_t& handle);
  int close_import(uint32_t handle);
  int show(uint32_t handle, uint64_t offset, uint64_t bytes, uint64_t address);
  int hide(uint64_t bytes, uint64_t address);
  // Bytes of an imported buffer and its place in the render node's file.
  std::optional<std::pair<uint64_t, uint64_t>> place_of(uint32_t handle);
  // The host address of a buffer.
  std::optional<uint64_t> address_of(uint64_t handle);
  // The kernel's driver hears of munmap by MMU notifiers; here shared ranges are looked at before each dispatch.
  void forget_unmapped();

 private:
  struct Buffer {
    uint64_t address, bytes, offset;
    uint32_t flags;
    bool is_mapped;
    uint32_t imports = 0;  // the buffer lives on while there are any
    bool is_freed = false;
  };
  Buffer* imported(uint32_t handle);
  void release(std::map<uint64_t, Buffer>::iterator buffer);
  void unmap_range(uint64_t address, uint64_t bytes);

  const DeviceFiles& files_;
  AddressSpace& space_;
  Engine& engine_;
  std::mutex mutex_;
  std::map<uint64_t, Buffer> buffers_;
  struct Shared {
    uint64_t bytes = 0;
    uint32_t flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
    uint32_t preferred_location = KFD_IOCTL_SVM_LOCATION_UNDEFINED;  // a GPU's identifier
  };
  // The range that holds the address; the driver's defaults where there is none.
  Shared shared_at(uint64_t address) const;
  std::map<uint64_t, Shared> shared_;  // ranges of the SVM calls, by address
  uint64_t next_handle_ = 1;
  uint64_t next_offset_ = uint64_t{1} << 32;
  uint64_t vram_used_ = 0;
};

}  // namespace kernloop::softgpu::kfd
