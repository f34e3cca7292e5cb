// The kernels of device_kernels.cu compiled for the host: the same text, run block by block. For tests and for the fake
// driver. Device addresses are host addresses. Not for several threads at once: the pointer search keeps its targets in
// variables, as on the device.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kernloop::cuda {

struct HostKernel {
  std::string_view name;
  // `params` is what kernelParams[0] points to: all our kernels take one structure.
  void (*run)(uint32_t blocks, uint32_t threads_per_block, const void* params);
  uint32_t params_bytes;
};

std::span<const HostKernel> device_kernels_on_host();

// nullptr: there is no such kernel.
const HostKernel* device_kernel_on_host(std::string_view name);

}  // namespace kernloop::cuda
