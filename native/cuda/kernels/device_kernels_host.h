// The kernels of device_kernels.cu compiled for the host: the same text, run block by block. For tests and for the fake
// driver. Device addresses are host addresses. Not for several threads at once: the pointer search keeps its targets in
// variables, as on the device.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kernloop::cuda {

struct HostKernel {
  std::string_view name;
  // `params` is kernelParams[0]'s target: all our kernels take one structure.
  void (*run)(uint32_t blocks, uint32_t threads_per_block, const void* params);
  uint32_t params_bytes;
};

std::span<const HostKernel> device_kernels_on_host();

// nullptr: there is no such kernel.
const HostKernel* device_kernel_on_host(std::string_view name);

// Memory that the kernels access. A GPU faults on accesses that are not aligned to their size, and memory checkers on
// those beyond an allocation by a byte: both are counted here.
struct HostAccess {
  struct Range {
    uint64_t base, bytes;
  };
  std::vector<Range> allowed;  // none: everything
  uint64_t misaligned = 0, outside = 0;

  void note(uint64_t address, uint64_t bytes) {
    if (address % bytes != 0) ++misaligned;
    if (!allowed.empty() && !is_allowed(address, bytes)) ++outside;
  }

 private:
  bool is_allowed(uint64_t address, uint64_t bytes) const {
    for (const Range& range : allowed)
      if (address >= range.base && address - range.base + bytes <= range.bytes) return true;
    return false;
  }
};

inline HostAccess& host_access() {
  static HostAccess access;
  return access;
}

}  // namespace kernloop::cuda
