#include "cuda/kernels/device_kernels_host.h"

#include "cuda/kernels/device_kernels.cu"

namespace kernloop::cuda {

std::span<const HostKernel> device_kernels_on_host() {
  static constexpr HostKernel kKernels[] = {
      {"kernloop_checksums", kernloop_checksums, sizeof(ChecksumParams)},
      {"kernloop_restore", kernloop_restore, sizeof(RangeParams)},
      {"kernloop_compare", kernloop_compare, sizeof(RangeParams)},
      {"kernloop_touch", kernloop_touch, sizeof(RangeParams)},
      {"kernloop_fill", kernloop_fill, sizeof(FillParams)},
      {"kernloop_set_targets", kernloop_set_targets, sizeof(SetTargetsParams)},
      {"kernloop_find_pointers", kernloop_find_pointers, sizeof(SearchParams)},
      {"kernloop_take_hits", kernloop_take_hits, sizeof(TakeHitsParams)},
  };
  return kKernels;
}

const HostKernel* device_kernel_on_host(std::string_view name) {
  for (const HostKernel& kernel : device_kernels_on_host())
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace kernloop::cuda
