// Launches as the app's calls describe them: built here from the structures of the driver's ABI.
#include "capture/cuda/launch/launch.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kernloop::capture {
namespace {

using namespace cuda;

struct Arguments {
  int n;
  double* data;
  char flag;
};

const std::vector<Parameter> kParameters = {{offsetof(Arguments, n), sizeof(int)},
                                            {offsetof(Arguments, data), sizeof(double*)},
                                            {offsetof(Arguments, flag), 1}};

uint64_t attribute(const Launch& launch, const std::string& name, uint64_t missing = ~0ull) {
  for (const LaunchAttribute& one : launch.attributes) {
    if (one.name == name) return one.value;
  }
  return missing;
}

TEST(CudaLaunch, PointersToArgumentsGoToTheirPlaces) {
  int n = 7;
  double* data = reinterpret_cast<double*>(0x123456789000);
  char flag = 'x';
  void* pointers[] = {&n, &data, &flag};
  Launch launch;
  launch.parameters = pointers;
  std::vector<uint8_t> bytes;
  ASSERT_FALSE(read_arguments(launch, kParameters, &bytes));
  ASSERT_EQ(bytes.size(), offsetof(Arguments, flag) + 1);
  Arguments seen{};
  std::memcpy(&seen, bytes.data(), bytes.size());
  EXPECT_EQ(seen.n, 7);
  EXPECT_EQ(seen.data, data);
  EXPECT_EQ(seen.flag, 'x');
}

TEST(CudaLaunch, ABufferOfArgumentsIsTakenWithoutThePaddingAtItsEnd) {
  Arguments arguments{};
  arguments.n = 9;
  size_t size = sizeof arguments;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  Launch launch;
  launch.extra = extra;
  std::vector<uint8_t> bytes;
  ASSERT_FALSE(read_arguments(launch, kParameters, &bytes));
  ASSERT_EQ(bytes.size(), offsetof(Arguments, flag) + 1);
  EXPECT_EQ(std::memcmp(bytes.data(), &arguments, bytes.size()), 0);
}

TEST(CudaLaunch, ArgumentsThatAreNotThereAreARefusal) {
  Launch launch;
  std::vector<uint8_t> bytes;
  EXPECT_TRUE(read_arguments(launch, kParameters, &bytes));
  void* extra[] = {reinterpret_cast<void*>(uintptr_t{9}), nullptr, CU_LAUNCH_PARAM_END};
  launch.extra = extra;
  EXPECT_TRUE(read_arguments(launch, kParameters, &bytes));
  launch.extra = nullptr;
  void* none[] = {nullptr};
  launch.parameters = none;
  EXPECT_TRUE(read_arguments(launch, {{kMaxKernargBytes, 8}}, &bytes));
  EXPECT_FALSE(read_arguments(launch, {}, &bytes)) << "a kernel without parameters";
}

TEST(CudaLaunch, AttributesOfAnExtendedLaunchAreNamed) {
  CUlaunchAttribute attributes[4] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {4, 2, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 0;
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attributes[2].value.programmaticStreamSerializationAllowed = 1;
  attributes[3].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  attributes[3].value.sharedMemCarveout = 60;
  CUlaunchConfig config{5, 6, 7, 32, 2, 1, 1024, CU_STREAM_LEGACY, attributes, 4};
  const cuLaunchKernelEx_params params{&config, reinterpret_cast<CUfunction>(0x1000), nullptr, nullptr};
  const auto launch = read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &params);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->grid_blocks, (std::array<uint32_t, 3>{5, 6, 7}));
  EXPECT_EQ(launch->block_threads, (std::array<uint32_t, 3>{32, 2, 1}));
  EXPECT_EQ(launch->dynamic_shared_bytes, 1024u);
  EXPECT_EQ(attribute(*launch, "cluster_blocks_x"), 4u);
  EXPECT_EQ(attribute(*launch, "cluster_blocks_y"), 2u);
  EXPECT_EQ(attribute(*launch, "preferred_shared_carveout_percent"), 60u);
  EXPECT_EQ(attribute(*launch, "cooperative"), ~0ull) << "asked for, but set to no";
  EXPECT_TRUE(launch->programmatic);
}

// A driver whose functions do not show attributes set on the library's kernel.
TEST(CudaLaunch, AnAttributeOfALaterDriverIsToldFromThoseThatSayNothingOfTheKernel) {
  CUlaunchAttribute attributes[3] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
  attributes[2].id = static_cast<CUlaunchAttributeID>(77);
  CUlaunchConfig config{1, 1, 1, 32, 1, 1, 0, CU_STREAM_LEGACY, attributes, 2};
  const cuLaunchKernelEx_params params{&config, reinterpret_cast<CUfunction>(0x1000), nullptr, nullptr};
  EXPECT_FALSE(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &params)->unknown_attribute);
  config.numAttrs = 3;
  const auto launch = read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &params);
  ASSERT_TRUE(launch->unknown_attribute);
  EXPECT_EQ(*launch->unknown_attribute, 77u);
}

TEST(CudaLaunch, AttributesOfAFunctionAreThoseOfItsKernelWhereItHasNone) {
  Driver driver;
  driver.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT ? 3 : 0;
    return CUDA_SUCCESS;
  };
  driver.cuKernelGetAttribute = [](int* value, CUfunction_attribute which, CUkernel, CUdevice device) {
    *value = which == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH    ? 2 + device
             : which == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT ? 9
                                                                  : 0;
    return CUDA_SUCCESS;
  };
  driver.cuCtxGetDevice = [](CUdevice* device) {
    *device = 1;
    return CUDA_SUCCESS;
  };
  driver.cuCtxGetLimit = [](size_t*, CUlimit) { return CUDA_ERROR_UNSUPPORTED_LIMIT; };
  Launch launch;
  launch.function = reinterpret_cast<CUfunction>(0x1000);
  Launch seen;
  seen.attributes = attributes_of(driver, launch, reinterpret_cast<CUfunction>(0x2000));
  EXPECT_EQ(attribute(seen, "required_cluster_blocks_x"), 3u);
  EXPECT_EQ(attribute(seen, "required_cluster_blocks_y"), 3u) << "set for the function itself";
  EXPECT_EQ(attribute(seen, "required_cluster_blocks_z"), ~0ull);
  seen.attributes = attributes_of(driver, launch, launch.function);
  EXPECT_EQ(attribute(seen, "required_cluster_blocks_x"), ~0ull) << "no kernel, but a function";
}

TEST(CudaLaunch, TheNullStreamOfThePerThreadFormsIsTheThreadsOwn) {
  cuLaunchKernel_params params{};
  params.f = reinterpret_cast<CUfunction>(0x1000);
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params)->stream, nullptr);
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &params)->stream, CU_STREAM_PER_THREAD);
  params.hStream = CU_STREAM_LEGACY;
  EXPECT_EQ(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &params)->stream, CU_STREAM_LEGACY);
}

TEST(CudaLaunch, CallsThatCannotBeCapturedStillNameTheirKernel) {
  CUDA_LAUNCH_PARAMS list[2] = {};
  list[0].function = reinterpret_cast<CUfunction>(0x2000);
  const cuLaunchCooperativeKernelMultiDevice_params several{list, 2, 0};
  constexpr uint32_t id = CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice;
  EXPECT_EQ(launched_function(id, &several), list[0].function);
  EXPECT_FALSE(read_launch(id, &several));
  const cuLaunch_params old{reinterpret_cast<CUfunction>(0x3000)};
  EXPECT_EQ(launched_function(CUPTI_DRIVER_TRACE_CBID_cuLaunch, &old), old.f);
  EXPECT_FALSE(read_launch(CUPTI_DRIVER_TRACE_CBID_cuLaunch, &old));
  EXPECT_EQ(launched_function(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &old), nullptr);
}

}  // namespace
}  // namespace kernloop::capture
