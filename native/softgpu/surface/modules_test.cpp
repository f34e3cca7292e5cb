// Modules, symbols, launches and kernel attributes.
#include <fstream>
#include <iterator>
#include <numeric>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {

TEST(Modules, HaveVariablesOfTheirOwn) {
  hipDeviceptr_t counter = nullptr;
  size_t bytes = 0;
  OK(hipModuleGetGlobal(&counter, &bytes, module(), "counter"));
  EXPECT_EQ(bytes, sizeof(int));
  EXPECT_EQ(downloaded(static_cast<int*>(counter), 1)[0], 7);
  const int changed = 100;
  OK(hipMemcpyHtoD(counter, const_cast<int*>(&changed), sizeof changed));
  int* out = device_memory<int>(8);
  OK(launch("look_up", 8, nullptr, out, 8));
  EXPECT_EQ(downloaded(out, 5), (std::vector<int>{110, 120, 130, 140, 110}));
  const int original = 7;
  OK(hipMemcpyHtoD(counter, const_cast<int*>(&original), sizeof original));
  OK(hipFree(out));
  EXPECT_EQ(hipModuleGetGlobal(&counter, &bytes, module(), "no_such_name"), hipErrorNotFound);
}

TEST(Modules, AreLoadedFromMemoryTooAndMissingKernelsAreNamedSo) {
  hipFunction_t function = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, module(), "no_such_kernel"), hipErrorNotFound);
  hipModule_t broken = nullptr;
  const char nonsense[64] = "this is no code object";
  EXPECT_NE(hipModuleLoadData(&broken, nonsense), hipSuccess);
  EXPECT_NE(hipModuleLoad(&broken, "/no/such/file"), hipSuccess);
}

TEST(Modules, OfOneFileAreEachTheirOwnAndGoAgain) {
  std::ifstream file(object_path(), std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  hipDeviceptr_t ours = nullptr, theirs = nullptr;
  size_t size = 0;
  OK(hipModuleGetGlobal(&ours, &size, module(), "counter"));
  int* data = device_memory<int>(64);
  for (int round = 0; round < 20; ++round) {
    hipModule_t again = nullptr;
    hipFunction_t fill = nullptr;
    OK(hipModuleLoadDataEx(&again, bytes.data(), 0, nullptr, nullptr));
    OK(hipModuleGetGlobal(&theirs, &size, again, "counter"));
    EXPECT_NE(theirs, ours);
    OK(hipModuleGetFunction(&fill, again, "fill"));
    int n = 64;
    void* arguments[] = {&data, &n, &round};
    OK(hipModuleLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT_EQ(downloaded(data, 64), std::vector<int>(64, round));
    OK(hipModuleUnload(again));
  }
  OK(hipFree(data));
  EXPECT_EQ(hipModuleUnload(nullptr), hipErrorNotFound);
}

TEST(Launches, WithPackedArgumentsAreTheSame) {
  int* data = device_memory<int>(64);
  struct {
    int* data;
    int n, value;
  } arguments{data, 64, 77};
  size_t bytes = sizeof arguments;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  OK(hipModuleLaunchKernel(kernel("fill"), 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(downloaded(data, 64), std::vector<int>(64, 77));
  OK(hipFree(data));
}

TEST(Launches, WithDynamicLdsSum) {
  const std::vector<int> values = ramp(1000, 1);
  int *in = device_memory<int>(1000), *out = device_memory<int>(1);
  OK(hipMemcpy(in, values.data(), 4000, hipMemcpyHostToDevice));
  OK(hipMemset(out, 0, sizeof(int)));
  OK(launch("sum_in_lds", 1000, nullptr, in, 1000, out));
  EXPECT_EQ(downloaded(out, 1)[0], std::accumulate(values.begin(), values.end(), 0));
  OK(hipFree(in));
  OK(hipFree(out));
}

TEST(Launches, ThatCannotBeAreRefused) {
  int* data = device_memory<int>(64);
  void* pointers[] = {&data, nullptr, nullptr};
  int n = 64, value = 1;
  pointers[1] = &n;
  pointers[2] = &value;
  EXPECT_NE(hipModuleLaunchKernel(kernel("fill"), 1, 1, 1, 4096, 1, 1, 0, nullptr, pointers, nullptr), hipSuccess);
  EXPECT_NE(hipModuleLaunchKernel(kernel("fill"), 0, 1, 1, 64, 1, 1, 0, nullptr, pointers, nullptr), hipSuccess);
  EXPECT_NE(hipModuleLaunchKernel(kernel("fill"), 1, 1, 1, 64, 1, 1, 1 << 20, nullptr, pointers, nullptr), hipSuccess);
  EXPECT_NE(hipModuleLaunchKernel(nullptr, 1, 1, 1, 64, 1, 1, 0, nullptr, pointers, nullptr), hipSuccess);
  (void)hipGetLastError();
  OK(launch("fill", 64, nullptr, data, 64, 3));  // the device goes on
  EXPECT_EQ(downloaded(data, 64), std::vector<int>(64, 3));
  OK(hipFree(data));
}

TEST(Kernels, SayWhatTheyTake) {
  int value = -1;
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel("fill")));
  EXPECT_EQ(value, 1024);
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel("sum_in_lds")));
  EXPECT_EQ(value, 0);  // dynamic LDS is not the kernel's own
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel("fill")));
  EXPECT_GT(value, 0);
}

TEST(Kernels, FitSoManyTimes) {
  int blocks = 0;
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("fill"), 256, 0));
  EXPECT_GT(blocks, 1);
  int with_lds = 0;
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&with_lds, kernel("sum_in_lds"), 256, 40 << 10));
  EXPECT_EQ(with_lds, 1);  // out of 64 KiB
  int grid = 0, block = 0;
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, kernel("fill"), 0, 0));
  EXPECT_GT(grid, 0);
  EXPECT_GT(block, 0);
}

}  // namespace
}  // namespace kernloop::softgpu::surface
