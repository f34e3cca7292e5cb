// Stock HIP, called as programs call it; every check runs on the libhsa-runtime64.so.1 that LD_LIBRARY_PATH selects.
#pragma once

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <vector>

#define OK(call) ASSERT_EQ(call, hipSuccess) << #call

namespace kernloop::softgpu::surface {

// A kernel of kernels.hip.
hipFunction_t kernel(const char* name);
hipModule_t module();
const char* object_path();

// n elements in blocks of 64.
template <typename... Arguments>
hipError_t launch(const char* name, int n, hipStream_t stream, Arguments... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return hipModuleLaunchKernel(kernel(name), static_cast<unsigned>((n + 63) / 64), 1, 1, 64, 1, 1, 64 * sizeof(int),
                               stream, pointers, nullptr);
}

template <typename T>
T* device_memory(size_t count) {
  void* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, count * sizeof(T)), hipSuccess);
  return static_cast<T*>(memory);
}

inline std::vector<int> downloaded(const int* from, size_t count) {
  std::vector<int> values(count, -1);
  EXPECT_EQ(hipMemcpy(values.data(), from, count * sizeof(int), hipMemcpyDeviceToHost), hipSuccess);
  return values;
}

inline std::vector<int> ramp(size_t count, int first = 0) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<int>(i);
  return values;
}

}  // namespace kernloop::softgpu::surface
