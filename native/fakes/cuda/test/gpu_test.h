// The fake driver in a test program: loaded as any program of ours loads the driver, with a context of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cupti.h"
#include "cuda/driver.h"

namespace kernloop::cuda::fake {

inline std::vector<char> read_test_data(const std::string& name) {
  std::ifstream file(std::string(KERNLOOP_FAKE_CUDA_TEST_DATA) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline const Driver& driver() {
  static const auto kDriver = Driver::load(KERNLOOP_FAKE_CUDA_DRIVER).value();
  return *kDriver;
}

inline const Cupti& cupti() {
  setenv("KERNLOOP_CUPTI", KERNLOOP_FAKE_CUPTI, 1);
  static const auto kCupti = Cupti::load().value();
  return *kCupti;
}

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuCtxCreate(&context_, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override { driver().cuCtxDestroy(context_); }

  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr base = 0;
    EXPECT_EQ(driver().cuMemAlloc(&base, bytes), CUDA_SUCCESS);
    return base;
  }
  CUdeviceptr upload(const std::vector<float>& values) {
    const CUdeviceptr base = allocate(values.size() * sizeof(float));
    EXPECT_EQ(driver().cuMemcpyHtoD(base, values.data(), values.size() * sizeof(float)), CUDA_SUCCESS);
    return base;
  }
  std::vector<float> download(CUdeviceptr base, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(driver().cuMemcpyDtoH(values.data(), base, count * sizeof(float)), CUDA_SUCCESS);
    return values;
  }
  CUmodule load(const std::string& name = "test_kernels.sm_90.cubin") {
    CUmodule module = nullptr;
    EXPECT_EQ(driver().cuModuleLoadData(&module, read_test_data(name).data()), CUDA_SUCCESS);
    return module;
  }
  CUfunction function(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(driver().cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  template <typename... Args>
  CUresult launch(CUfunction function, CUstream stream, Args... args) {
    void* parameters[] = {&args...};
    return driver().cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
  }
  CUstream stream(unsigned int flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_EQ(driver().cuStreamCreate(&stream, flags), CUDA_SUCCESS);
    return stream;
  }
  // Pinned: kernels and the host see it both.
  volatile uint32_t* flag() {
    void* pointer = nullptr;
    EXPECT_EQ(driver().cuMemHostAlloc(&pointer, 4, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
    *static_cast<uint32_t*>(pointer) = 0;
    return static_cast<volatile uint32_t*>(pointer);
  }
  static CUdeviceptr address_of(volatile void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

  CUcontext context_ = nullptr;
};

inline constexpr char kSaxpy[] = "_Z5saxpyfPKfPfi", kAddInPlace[] = "_Z12add_in_placePffi";
inline constexpr char kWaitForFlag[] = "_Z13wait_for_flagPVjjPj", kWildWrite[] = "_Z10wild_writeyj";

}  // namespace kernloop::cuda::fake
