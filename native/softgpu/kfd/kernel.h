// The kernels whose amdkfd is emulated. KERNLOOP_SOFTGPU_LINUX chooses: a runtime asks a newer one for more.
#pragma once

#include <cstdint>

namespace kernloop::softgpu::kfd {

struct Kernel {
  const char* release;
  uint32_t kfd_minor;  // of the interface's version 1
  uint32_t drm_minor;  // of version 3
  // Virtual memory by dmabuf (since interface 1.15), ages of events (1.14), exceptions by the save area (1.13).
  bool is_later;
  const char* topology;  // its folder beside the library
};

inline constexpr Kernel kKernels[] = {{"6.1", 11, 49, false, "/topology"}, {"6.12", 17, 59, true, "/topology-6.12"}};

// The one that the environment names; the first without it, or with another name, which Driver::instance refuses.
const Kernel& kernel();
// The name in the environment if no emulated kernel has it, or null.
const char* unknown_kernel();

}  // namespace kernloop::softgpu::kfd
