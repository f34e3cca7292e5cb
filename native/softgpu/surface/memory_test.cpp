// Kinds of memory: visibility between device and host, and HIP's facts about a pointer.
#include <sys/mman.h>

#include <cstdlib>
#include <numeric>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {

TEST(Memory, ManagedIsSeenByBoth) {
  int* data = nullptr;
  OK(hipMallocManaged(reinterpret_cast<void**>(&data), 400, hipMemAttachGlobal));
  for (int i = 0; i < 100; ++i) data[i] = i;
  OK(launch("add", 100, nullptr, data, 100, 1000));
  OK(hipDeviceSynchronize());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(data[i], 1000 + i);
  OK(hipMemPrefetchAsync(data, 400, 0, nullptr));
  OK(hipMemAdvise(data, 400, hipMemAdviseSetReadMostly, 0));
  OK(hipFree(data));
}

TEST(Memory, PinnedIsSeenByBothAndFreedByItsOwnFunction) {
  for (const unsigned flags :
       std::initializer_list<unsigned>{hipHostMallocDefault, hipHostMallocMapped, hipHostMallocPortable,
                                       hipHostMallocCoherent, hipHostMallocNonCoherent, hipHostMallocWriteCombined}) {
    int* data = nullptr;
    OK(hipHostMalloc(reinterpret_cast<void**>(&data), 400, flags));
    for (int i = 0; i < 100; ++i) data[i] = i;
    void* device = nullptr;
    OK(hipHostGetDevicePointer(&device, data, 0));
    OK(launch("add", 100, nullptr, device, 100, 5));
    OK(hipDeviceSynchronize());
    for (int i = 0; i < 100; ++i) ASSERT_EQ(data[i], 5 + i);
    unsigned read = 99;
    OK(hipHostGetFlags(&read, data));
    OK(hipHostFree(data));
  }
}

// It stays registered: HIP 5.2.3 ends the program in hipHostUnregister if the device has the host's address for it.
TEST(Memory, RegisteredMemoryOfTheProgramIsSeenByTheDevice) {
  const size_t bytes = 3 * 4096;
  auto* data = static_cast<int*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(data, MAP_FAILED);
  std::iota(data, data + 100, 0);
  OK(hipHostRegister(data, bytes, hipHostRegisterMapped));
  void* device = nullptr;
  OK(hipHostGetDevicePointer(&device, data, 0));
  OK(launch("add", 100, nullptr, device, 100, 3));
  OK(hipDeviceSynchronize());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(data[i], 3 + i);
}

TEST(Memory, OfAStreamIsUsableInItsOrder) {
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  int* data = nullptr;
  OK(hipMallocAsync(reinterpret_cast<void**>(&data), 4000, stream));
  OK(launch("fill", 1000, stream, data, 1000, 8));
  OK(launch("add", 1000, stream, data, 1000, 1));
  std::vector<int> back(1000);
  OK(hipMemcpyAsync(back.data(), data, 4000, hipMemcpyDeviceToHost, stream));
  OK(hipFreeAsync(data, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(back, std::vector<int>(1000, 9));
  hipMemPool_t pool = nullptr;
  OK(hipDeviceGetDefaultMemPool(&pool, 0));
  uint64_t threshold = 1 << 20;
  OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  OK(hipMemPoolTrimTo(pool, 0));
  OK(hipStreamDestroy(stream));
}

TEST(Memory, OfAPoolOfTheProgramsOwnIsUsableInAStreamsOrder) {
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  hipMemPool_t pool = nullptr, current = nullptr;
  OK(hipMemPoolCreate(&pool, &properties));
  OK(hipDeviceSetMemPool(0, pool));
  OK(hipDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, pool);
  int* data = nullptr;
  OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&data), 4000, pool, nullptr));
  OK(launch("fill", 1000, nullptr, data, 1000, 8));
  EXPECT_EQ(downloaded(data, 1000), std::vector<int>(1000, 8));
  uint64_t used = 0;
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  EXPECT_GE(used, 4000u);
  OK(hipFreeAsync(data, nullptr));
  OK(hipStreamSynchronize(nullptr));
  OK(hipMemPoolDestroy(pool));
  EXPECT_EQ(hipMallocAsync(reinterpret_cast<void**>(&data), 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipFreeAsync(nullptr, nullptr), hipErrorInvalidValue);
  (void)hipGetLastError();
}

TEST(Memory, APointerIsKnownForWhatItIs) {
  int *device = device_memory<int>(100), *pinned = nullptr, *managed = nullptr;
  OK(hipHostMalloc(reinterpret_cast<void**>(&pinned), 400, 0));
  OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 400, hipMemAttachGlobal));
  hipPointerAttribute_t attributes{};
  OK(hipPointerGetAttributes(&attributes, device));
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  OK(hipPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.memoryType, hipMemoryTypeHost);
  OK(hipPointerGetAttributes(&attributes, managed));
  EXPECT_TRUE(attributes.isManaged);
  int plain = 0;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &plain), hipErrorInvalidValue);
  hipDeviceptr_t base = nullptr;
  size_t size = 0;
  OK(hipMemGetAddressRange(&base, &size, device + 50));
  EXPECT_EQ(base, device);
  EXPECT_EQ(size, 400u);
  OK(hipFree(device));
  OK(hipHostFree(pinned));
  OK(hipFree(managed));
}

TEST(Memory, ThatIsTakenIsNotFree) {
  size_t before = 0, during = 0, after = 0, total = 0;
  OK(hipMemGetInfo(&before, &total));
  void* memory = nullptr;
  OK(hipMalloc(&memory, 256 << 20));
  OK(hipMemGetInfo(&during, &total));
  EXPECT_GE(before - during, size_t{256} << 20);
  OK(hipFree(memory));
  OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
  EXPECT_EQ(hipMalloc(&memory, total + (1ull << 40)), hipErrorOutOfMemory);
  EXPECT_EQ(hipGetLastError(), hipErrorOutOfMemory);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

}  // namespace
}  // namespace kernloop::softgpu::surface
