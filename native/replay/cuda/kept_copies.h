// Copies of restored memory near the device: further iterations restore the kernel's writes without the archive.
#pragma once

#include <vector>

#include "cuda/kernels/device_kernels.h"
#include "replay/core/device/device_parts.h"
#include "replay/cuda/device_memory.h"
#include "replay/cuda/staging.h"

namespace kernloop::replay {

class KeptCopies final : public KeptMemory {
 public:
  KeptCopies(Context& context, const DeviceMemory& memory, Staging& staging, cuda::DeviceKernels& kernels)
      : context_(context), memory_(memory), staging_(staging), kernels_(kernels) {}
  ~KeptCopies() override;
  KeptCopies(const KeptCopies&) = delete;
  KeptCopies& operator=(const KeptCopies&) = delete;

  // On the device while it has room, else in pinned host memory while the machine has; false if neither has.
  Result<bool> keep(const AddressRange& range) override;
  Status restore() override;
  // Nothing that a launch writes is lost.
  bool keeps_all() const { return keeps_ && !keeps_too_little_; }

  // Restores the part in this process's own memory; the device must be idle.
  void restore_host();
  // Whether restore() has seen what the kernel writes.
  bool knows_written() const { return knows_written_; }
  // Restores the bytes that the kernel was seen to write, on the device: enqueued, not waited for, so that a launch
  // follows at once. Only after a launch that began with everything restored.
  Status enqueue_restore_of_written();

 private:
  struct Copy {
    AddressRange of;
    cuda::CUdeviceptr at = 0;
    void* pinned = nullptr;  // if `at` is the device's view of host memory
  };

  Result<bool> keep_on_device(const AddressRange& range);
  Result<bool> keep_host(const AddressRange& range);
  Result<bool> allocate(Copy& copy);
  Status copy_back(const Copy& copy, const AddressRange& range);
  // Restores differing bytes. While the kernel's writes are unknown, it does so piece by piece, and remembers them.
  Status restore_differing(const Copy& copy);
  void remember_written(const AddressRange& range);
  void free(const Copy& copy);

  Context& context_;
  const DeviceMemory& memory_;
  Staging& staging_;
  cuda::DeviceKernels& kernels_;
  std::vector<Copy> copies_;
  std::vector<std::pair<uint64_t, Buffer>> host_copies_;
  std::vector<AddressRange> written_;  // sorted, disjoint
  bool keeps_ = false, keeps_too_little_ = false;
  bool knows_written_ = false;
  bool surprised_ = false;  // a restore found differences where none were known
};

}  // namespace kernloop::replay
