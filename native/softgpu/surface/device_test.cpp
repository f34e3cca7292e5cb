// The device as programs query it, and errors as they are returned.
#include <cstdlib>
#include <cstring>
#include <string>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {

TEST(Device, SaysWhatItIs) {
  int devices = 0;
  OK(hipGetDeviceCount(&devices));
  ASSERT_EQ(devices, 1);
  hipDeviceProp_t properties{};
  OK(hipGetDeviceProperties(&properties, 0));
  const char* wanted = std::getenv("KERNLOOP_SOFTGPU");
  const std::string target = wanted != nullptr ? wanted : "gfx90a";
  EXPECT_EQ(std::string(properties.gcnArchName).substr(0, target.size()), target);
  EXPECT_EQ(properties.warpSize, target == "gfx90a" ? 64 : 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.sharedMemPerBlock, 65536u);
  EXPECT_GT(properties.multiProcessorCount, 0);
  EXPECT_GT(properties.totalGlobalMem, 1u << 30);
  EXPECT_GT(std::strlen(properties.name), 0u);
  int value = -1;
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  EXPECT_EQ(value, properties.warpSize);
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeManagedMemory, 0));
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeCooperativeLaunch, 0));
  char bus[32] = "";
  OK(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  int found = -1;
  OK(hipDeviceGetByPCIBusId(&found, bus));
  EXPECT_EQ(found, 0);
  hipDevice_t device = -1;
  OK(hipDeviceGet(&device, 0));
  size_t total = 0;
  OK(hipDeviceTotalMem(&total, device));
  EXPECT_EQ(total, properties.totalGlobalMem);
}

TEST(Device, ThereIsNoSecondOne) {
  EXPECT_EQ(hipSetDevice(1), hipErrorInvalidDevice);
  hipDeviceProp_t properties{};
  EXPECT_EQ(hipGetDeviceProperties(&properties, 1), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
  int can = -1;
  EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipErrorInvalidDevice);
  OK(hipDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  EXPECT_NE(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  (void)hipGetLastError();
  OK(hipSetDevice(0));
}

TEST(Device, HasVersionsLimitsAndAContext) {
  int version = 0;
  OK(hipRuntimeGetVersion(&version));
  EXPECT_GT(version, 0);
  OK(hipDriverGetVersion(&version));
  size_t heap = 0;
  OK(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize));
  hipCtx_t context = nullptr;
  OK(hipDevicePrimaryCtxRetain(&context, 0));
  OK(hipDevicePrimaryCtxRelease(0));
}

TEST(Errors, OfWrongArgumentsAreReturnedAndRemembered) {
  EXPECT_EQ(hipMemcpy(nullptr, nullptr, 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  int* data = device_memory<int>(16);
  OK(hipFree(data));
  EXPECT_EQ(hipFree(data), hipErrorInvalidValue);  // twice
  int plain = 0;
  EXPECT_EQ(hipFree(&plain), hipErrorInvalidValue);
  EXPECT_EQ(hipMalloc(nullptr, 16), hipErrorInvalidValue);
  EXPECT_EQ(hipEventRecord(nullptr, nullptr), hipErrorInvalidHandle);
  EXPECT_NE(hipStreamDestroy(reinterpret_cast<hipStream_t>(&plain)), hipSuccess);
  (void)hipGetLastError();
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
}

// Unsupported features are errors of HIP's own, not hangs or wrong results.
TEST(Errors, OfWhatIsNotThere) {
  hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  hipArray* array = nullptr;
  EXPECT_NE(hipMallocArray(&array, &format, 64, 64, 0), hipSuccess);
  EXPECT_NE(hipMalloc3DArray(&array, &format, hipExtent{16, 16, 16}, 0), hipSuccess);
  hipMipmappedArray_t levels = nullptr;
  EXPECT_EQ(hipMallocMipmappedArray(&levels, &format, hipExtent{64, 64, 0}, 3, 0), hipErrorNotSupported);
  int* data = device_memory<int>(1024);
  hipResourceDesc linear{};
  linear.resType = hipResourceTypeLinear;
  linear.res.linear = {data, format, 4096};
  hipTextureDesc reading{};
  hipTextureObject_t texture = nullptr;
  EXPECT_NE(hipCreateTextureObject(&texture, &linear, &reading, nullptr), hipSuccess);
  hipSurfaceObject_t surface = nullptr;
  EXPECT_NE(hipCreateSurfaceObject(&surface, &linear), hipSuccess);
  hipIpcMemHandle_t handle{};
  EXPECT_NE(hipIpcGetMemHandle(&handle, data), hipSuccess);
  void* mapped = nullptr;
  EXPECT_NE(hipIpcOpenMemHandle(&mapped, handle, hipIpcMemLazyEnablePeerAccess), hipSuccess);
  (void)hipGetLastError();
  OK(hipFree(data));
}

}  // namespace
}  // namespace kernloop::softgpu::surface
