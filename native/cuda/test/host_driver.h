// A driver that runs our kernels on the host, with only the functions that DeviceKernels calls. Counts allocations and
// launches, and fails on request.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

#include "cuda/driver.h"
#include "cuda/kernels/device_kernels_host.h"

namespace kernloop::cuda {

struct HostDriverState {
  int modules = 0, streams = 0, buffers = 0, contexts_pushed = 0;
  std::map<std::string, int> launches;
  std::string failing;  // a function or a kernel
  std::map<void*, size_t> pinned;
};

inline HostDriverState& host_driver_state() {
  static HostDriverState state;
  return state;
}

inline CUresult host_driver_result(const char* name) {
  return host_driver_state().failing == name ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

inline Driver host_driver() {
  static int context, module, stream;
  Driver driver{};
  driver.cuGetErrorName = [](CUresult error, const char** name) {
    *name = error == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "another";
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorString = [](CUresult, const char** text) {
    *text = "invalid argument";
    return CUDA_SUCCESS;
  };
  driver.cuCtxGetCurrent = [](CUcontext* current) {
    *current = reinterpret_cast<CUcontext>(&context);
    return host_driver_result("cuCtxGetCurrent");
  };
  driver.cuCtxPushCurrent = [](CUcontext) {
    ++host_driver_state().contexts_pushed;
    return CUDA_SUCCESS;
  };
  driver.cuCtxPopCurrent = [](CUcontext*) {
    --host_driver_state().contexts_pushed;
    return CUDA_SUCCESS;
  };
  driver.cuModuleLoadData = [](CUmodule* loaded, const void*) {
    *loaded = reinterpret_cast<CUmodule>(&module);
    ++host_driver_state().modules;
    return CUDA_SUCCESS;
  };
  driver.cuModuleUnload = [](CUmodule) {
    --host_driver_state().modules;
    return CUDA_SUCCESS;
  };
  driver.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char* name) {
    const HostKernel* kernel = device_kernel_on_host(name);
    *function = reinterpret_cast<CUfunction>(const_cast<HostKernel*>(kernel));
    return kernel == nullptr ? CUDA_ERROR_NOT_FOUND : host_driver_result("cuModuleGetFunction");
  };
  driver.cuStreamCreate = [](CUstream* created, unsigned flags) {
    *created = reinterpret_cast<CUstream>(&stream);
    ++host_driver_state().streams;
    return flags == CU_STREAM_NON_BLOCKING ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  driver.cuStreamDestroy = [](CUstream) {
    --host_driver_state().streams;
    return CUDA_SUCCESS;
  };
  driver.cuStreamSynchronize = [](CUstream) { return host_driver_result("cuStreamSynchronize"); };
  driver.cuMemHostAlloc = [](void** memory, size_t bytes, unsigned) {
    if (host_driver_result("cuMemHostAlloc") != CUDA_SUCCESS) return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = std::aligned_alloc(4096, bytes);
    ++host_driver_state().buffers;
    host_driver_state().pinned[*memory] = bytes;
    return CUDA_SUCCESS;
  };
  driver.cuMemFreeHost = [](void* memory) {
    host_driver_state().pinned.erase(memory);
    std::free(memory);
    --host_driver_state().buffers;
    return CUDA_SUCCESS;
  };
  driver.cuMemHostGetDevicePointer = [](CUdeviceptr* address, void* memory, unsigned) {
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
  };
  driver.cuLaunchKernel = [](CUfunction function, unsigned blocks, unsigned grid_y, unsigned grid_z, unsigned threads,
                             unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream, void** params,
                             void** extra) {
    const auto* kernel = reinterpret_cast<const HostKernel*>(function);
    if (blocks == 0 || threads == 0 || grid_y * grid_z * block_y * block_z != 1 || shared_bytes != 0 ||
        extra != nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = host_driver_result(std::string(kernel->name).c_str());
    if (result != CUDA_SUCCESS) return result;
    ++host_driver_state().launches[std::string(kernel->name)];
    kernel->run(blocks, threads, params[0]);
    return CUDA_SUCCESS;
  };
  return driver;
}

}  // namespace kernloop::cuda
