#include <fstream>

#include "fakes/cuda/test/gpu_test.h"

namespace kernloop::cuda::fake {
namespace {

using FakeExecution = GpuTest;

TEST_F(FakeExecution, AKernelOfARealCubinComputes) {
  const CUdeviceptr x = upload({1, 2, 3}), y = upload({10, 20, 30});
  ASSERT_EQ(launch(function(load(), kSaxpy), nullptr, 2.0f, x, y, 3), CUDA_SUCCESS);
  EXPECT_EQ(download(y, 3), (std::vector<float>{12, 24, 36}));
}

TEST_F(FakeExecution, VariantsOfTheCubinComputeSomethingElse) {
  const CUdeviceptr x = upload({1}), y = upload({10});
  ASSERT_EQ(launch(function(load("do_nothing.sm_90.cubin"), kSaxpy), nullptr, 2.0f, x, y, 1), CUDA_SUCCESS);
  EXPECT_EQ(download(y, 1)[0], 10.0f);
  ASSERT_EQ(launch(function(load("one_ulp_wrong.sm_90.cubin"), kSaxpy), nullptr, 2.0f, x, y, 1), CUDA_SUCCESS);
  EXPECT_EQ(download(y, 1)[0], 12.000001f);
}

TEST_F(FakeExecution, ParametersComeAsABufferToo) {
  const CUdeviceptr x = upload({1, 2});
  struct {
    CUdeviceptr x;
    float value;
    int n;
  } buffer = {x, 0.5f, 2};
  size_t bytes = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  const CUfunction add = function(load(), kAddInPlace);
  ASSERT_EQ(driver().cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_EQ(download(x, 2), (std::vector<float>{1.5f, 2.5f}));
  bytes -= 8;
  EXPECT_EQ(driver().cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeExecution, VariablesHaveAddressesOfTheirOwnInEachModule) {
  const CUmodule one = load(), two = load();
  CUdeviceptr first = 0, second = 0;
  size_t bytes = 0;
  ASSERT_EQ(driver().cuModuleGetGlobal(&first, &bytes, one, "gLaunches"), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuModuleGetGlobal(&second, &bytes, two, "gLaunches"), CUDA_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(bytes, 4u);
  const CUdeviceptr out = allocate(4);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(launch(function(one, "_Z14count_launchesPj"), nullptr, out), CUDA_SUCCESS);
  uint32_t launches[2] = {};
  ASSERT_EQ(driver().cuMemcpyDtoH(&launches[0], first, 4), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyDtoH(&launches[1], second, 4), CUDA_SUCCESS);
  EXPECT_EQ(launches[0], 3u);
  EXPECT_EQ(launches[1], 0u);
}

TEST_F(FakeExecution, AtomicsHappenInAnotherOrderAtEachLaunch) {
  std::vector<float> values;
  for (int i = 0; i < 128; ++i) values.push_back(1.0f / static_cast<float>(3 * i + 1));
  const CUdeviceptr x = upload(values);
  const CUfunction sum = function(load(), "_Z10atomic_sumPKfPfi");
  std::vector<float> sums;
  for (int i = 0; i < 16; ++i) {
    const CUdeviceptr out = upload({0});
    ASSERT_EQ(launch(sum, nullptr, x, out, 128), CUDA_SUCCESS);
    sums.push_back(download(out, 1)[0]);
  }
  EXPECT_NE(*std::min_element(sums.begin(), sums.end()), *std::max_element(sums.begin(), sums.end()));
}

TEST_F(FakeExecution, AWildWriteMakesTheContextUnusableForEver) {
  ASSERT_EQ(launch(function(load(), kWildWrite), nullptr, CUdeviceptr{0x10}, 1u), CUDA_SUCCESS) << "found out later";
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr base = 0;
  EXPECT_EQ(driver().cuMemAlloc(&base, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUcontext other = nullptr;
  ASSERT_EQ(driver().cuCtxCreate(&other, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemAlloc(&base, 4), CUDA_SUCCESS) << "another context is none the worse";
  driver().cuCtxDestroy(other);
}

TEST_F(FakeExecution, MemoryOfTheHostIsOutOfReachUnlessItIsRegistered) {
  std::vector<float> host(8192, 1.0f);
  const CUfunction add = function(load(), kAddInPlace);
  ASSERT_EQ(driver().cuMemHostRegister(host.data(), host.size() * 4, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch(add, nullptr, address_of(host.data()), 1.0f, 8), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(host[7], 2.0f);
  ASSERT_EQ(driver().cuMemHostUnregister(host.data()), CUDA_SUCCESS);
  ASSERT_EQ(launch(add, nullptr, address_of(host.data()), 1.0f, 8), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FakeExecution, ABlockingStreamWaitsForTheDefaultStreamAndANonBlockingOneDoesNot) {
  const CUmodule module = load();
  volatile uint32_t* const go = flag();
  const CUdeviceptr seen = allocate(4), x = upload({1}), y = upload({1});
  const CUstream blocking = stream(CU_STREAM_DEFAULT), free = stream();
  ASSERT_EQ(launch(function(module, kWaitForFlag), nullptr, address_of(go), 1u, seen), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(module, kAddInPlace), blocking, x, 1.0f, 1), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(module, kAddInPlace), free, y, 1.0f, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamSynchronize(free), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(driver().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  *go = 1;
  EXPECT_EQ(driver().cuStreamSynchronize(blocking), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuStreamQuery(nullptr), CUDA_SUCCESS);
}

TEST_F(FakeExecution, AnEventHoldsAnotherStreamAndIsTimed) {
  const CUmodule module = load();
  volatile uint32_t* const go = flag();
  const CUdeviceptr seen = allocate(4), x = upload({1});
  const CUstream one = stream(), two = stream();
  CUevent before = nullptr, after = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&before, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventCreate(&after, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventRecord(before, one), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(module, kWaitForFlag), one, address_of(go), 1u, seen), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventRecord(after, one), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitEvent(two, after, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(module, kAddInPlace), two, x, 1.0f, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventQuery(after), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(driver().cuStreamQuery(two), CUDA_ERROR_NOT_READY);
  float milliseconds = -1;
  EXPECT_EQ(driver().cuEventElapsedTime(&milliseconds, before, after), CUDA_ERROR_NOT_READY);
  *go = 1;
  ASSERT_EQ(driver().cuStreamSynchronize(two), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventElapsedTime(&milliseconds, before, after), CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 0);
}

TEST_F(FakeExecution, AnEventOfTheContextStandsForAllItsStreams) {
  volatile uint32_t* const go = flag();
  const CUdeviceptr seen = allocate(4);
  CUevent all = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&all, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(load(), kWaitForFlag), stream(), address_of(go), 1u, seen), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxRecordEvent(context_, all), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuEventQuery(all), CUDA_ERROR_NOT_READY);
  *go = 1;
  EXPECT_EQ(driver().cuEventSynchronize(all), CUDA_SUCCESS);
}

TEST_F(FakeExecution, ImpossibleShapesAreRefusedByTheLaunch) {
  const CUfunction add = function(load(), kAddInPlace);
  const CUdeviceptr x = allocate(4);
  float value = 1;
  int n = 1;
  void* parameters[] = {const_cast<CUdeviceptr*>(&x), &value, &n};
  EXPECT_EQ(driver().cuLaunchKernel(add, 1, 1, 1, 1025, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuLaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 60 << 10, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver().cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60 << 10), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 60 << 10, nullptr, parameters, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuLaunchCooperativeKernel(add, 1 << 20, 1, 1, 32, 1, 1, 0, nullptr, parameters),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST_F(FakeExecution, RegistersAndRequiredBlocksLimitWhatALaunchMayBe) {
  const auto loaded = [&](const char* name) {
    std::ifstream file(std::string(KERNLOOP_REPLAY_TEST_DATA) + "/replay_" + name + ".cubin", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    CUmodule module = nullptr;
    EXPECT_EQ(driver().cuModuleLoadData(&module, bytes.data()), CUDA_SUCCESS) << name;
    return function(module, "replay_fill");
  };
  const auto launch = [&](CUfunction kernel, unsigned int x, unsigned int y) {
    CUdeviceptr none = 0;
    int count = 0;
    void* parameters[] = {&none, &none, &count};
    return driver().cuLaunchKernel(kernel, 1, 1, 1, x, y, 1, 0, nullptr, parameters, nullptr);
  };
  const CUfunction greedy = loaded("registers"), required = loaded("required");
  int threads = 0;
  ASSERT_EQ(driver().cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, greedy), CUDA_SUCCESS);
  EXPECT_EQ(threads, 256) << "255 registers a thread: two warps in each quarter of a multiprocessor";
  EXPECT_EQ(launch(greedy, 257, 1), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(greedy, 256, 1), CUDA_SUCCESS);
  EXPECT_EQ(launch(required, 64, 1), CUDA_ERROR_INVALID_VALUE) << "as many threads in another shape";
  EXPECT_EQ(launch(required, 32, 2), CUDA_SUCCESS);
}

TEST_F(FakeExecution, AStreamOfAnotherContextIsAnInvalidHandle) {
  CUcontext other = nullptr;
  ASSERT_EQ(driver().cuCtxCreate(&other, 0, 0), CUDA_SUCCESS);
  const CUstream foreign = stream();
  ASSERT_EQ(driver().cuCtxSetCurrent(context_), CUDA_SUCCESS);
  const CUdeviceptr x = allocate(4);
  EXPECT_EQ(launch(function(load(), kAddInPlace), foreign, x, 1.0f, 1), CUDA_ERROR_INVALID_HANDLE);
  driver().cuCtxDestroy(other);
}

TEST_F(FakeExecution, AKernelStandsForAFunctionInALaunchOnly) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(driver().cuLibraryLoadData(&library, read_test_data("test_kernels.sm_90.cubin").data(), nullptr, nullptr, 0,
                                       nullptr, nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, kSaxpy), CUDA_SUCCESS);
  size_t offset = 0, bytes = 0;
  EXPECT_EQ(driver().cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), 0, &offset, &bytes),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(driver().cuKernelGetParamInfo(kernel, 1, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(driver().cuKernelGetParamInfo(kernel, 4, &offset, &bytes), CUDA_ERROR_INVALID_VALUE) << "past the last";
  const CUdeviceptr x = upload({1}), y = upload({2});
  ASSERT_EQ(launch(reinterpret_cast<CUfunction>(kernel), nullptr, 3.0f, x, y, 1), CUDA_SUCCESS);
  EXPECT_EQ(download(y, 1)[0], 5.0f);
}

}  // namespace
}  // namespace kernloop::cuda::fake
