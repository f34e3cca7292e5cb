// View of a kernel's host code: its launch, its parameters, device memory and its module's variables.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "abi/cuda/driver.h"
#include "fakes/cuda/work/launch.h"

namespace kernloop::cuda::fake {

// Ends the kernel; the context is unusable from then on.
struct DeviceFault {
  CUresult error = CUDA_ERROR_ILLEGAL_ADDRESS;
};

class Gpu {
 public:
  explicit Gpu(const KernelLaunch& launch) : launch_(launch) {}

  const LaunchShape& shape() const { return launch_.shape; }
  uint64_t blocks() const { return uint64_t{shape().grid[0]} * shape().grid[1] * shape().grid[2]; }
  uint64_t threads_per_block() const { return uint64_t{shape().block[0]} * shape().block[1] * shape().block[2]; }
  uint64_t threads() const { return blocks() * threads_per_block(); }
  const void* parameters() const { return launch_.parameters.data(); }
  size_t parameter_bytes() const { return launch_.parameters.size(); }

  template <typename T>
  T parameter(size_t offset) const {
    if (offset + sizeof(T) > launch_.parameters.size()) throw DeviceFault{CUDA_ERROR_LAUNCH_FAILED};
    T value;
    std::memcpy(&value, launch_.parameters.data() + offset, sizeof value);
    return value;
  }

  // An access outside of the device's mappings ends the kernel (DeviceFault).
  template <typename T>
  T read(CUdeviceptr address) const {
    T value;
    std::memcpy(&value, check(address, sizeof value, false), sizeof value);
    return value;
  }
  template <typename T>
  void write(CUdeviceptr address, const T& value) {
    std::memcpy(check(address, sizeof value, true), &value, sizeof value);
  }
  // For values that the host or another kernel changes meanwhile.
  uint32_t read_volatile(CUdeviceptr address) const {
    return __atomic_load_n(static_cast<uint32_t*>(check(address, sizeof(uint32_t), false)), __ATOMIC_ACQUIRE);
  }

  // Between two polls of a waiting kernel: lets others run, and ends the kernel with its context.
  void wait_a_little() const;

  CUdeviceptr variable(const char* name) const;  // 0: the module has none of that name
  bool has_variable(const char* name) const { return variable(name) != 0; }
  uint64_t seed() const;  // differs from launch to launch, and with KERNLOOP_FAKE_CUDA_SEED

  // Memory of a tensor map or a texture object; 0: it is none.
  CUdeviceptr tensor_address(const CUtensorMap& map) const;
  CUdeviceptr texture_address(CUtexObject texture) const;

 private:
  void* check(CUdeviceptr address, size_t bytes, bool write) const;
  const KernelLaunch& launch_;
  mutable CUdeviceptr last_granule_[2] = {0, 0};  // known to be reachable for reading, for writing
};

using HostCode = void (*)(Gpu& gpu);

// Registers `code` for launches of the kernel of that (mangled) name.
struct KernelCode {
  KernelCode(const char* kernel, HostCode code);
};
bool has_code(std::string_view kernel);
// Runs a registered kernel, or one of Kernloop's own (cuda/kernels/device_kernels_host.h). May throw DeviceFault.
void run_code(const KernelLaunch& launch);

}  // namespace kernloop::cuda::fake
