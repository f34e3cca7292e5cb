// Copies of restored memory near the device: further iterations put back what the kernel wrote without the archive.
#pragma once

#include <vector>

#include "cuda/device_kernels.h"
#include "replay/core/device.h"
#include "replay/cuda/staging.h"

namespace kernloop::replay {

class KeptCopies {
 public:
  KeptCopies(Context& context, Staging& staging, cuda::DeviceKernels& kernels)
      : context_(context), staging_(staging), kernels_(kernels) {}
  ~KeptCopies();
  KeptCopies(const KeptCopies&) = delete;
  KeptCopies& operator=(const KeptCopies&) = delete;

  // On the device while it has room, else in pinned host memory while the machine has; false when neither has.
  Result<bool> keep(const AddressRange& range);
  Result<bool> keep_host(const AddressRange& range);
  Status restore();

 private:
  struct Copy {
    AddressRange of;
    cuda::CUdeviceptr at = 0;
    void* pinned = nullptr;  // where `at` is the device's view of host memory
  };

  Result<bool> allocate(Copy& copy);
  void free(const Copy& copy);

  Context& context_;
  Staging& staging_;
  cuda::DeviceKernels& kernels_;
  std::vector<Copy> copies_;
  std::vector<std::pair<uint64_t, archive::Buffer>> host_copies_;
};

}  // namespace kernloop::replay
