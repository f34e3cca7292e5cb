#include "fakes/cuda/test/gpu_test.h"

namespace kernloop::cuda::fake {
namespace {

constexpr size_t kMiB = 1 << 20;
using FakeMemory = GpuTest;

TEST_F(FakeMemory, SmallAllocationsShareAGranule512BytesApart) {
  const CUdeviceptr one = allocate(100), two = allocate(100);
  EXPECT_EQ(two - one, 512u);
  EXPECT_EQ(one / (2 * kMiB), two / (2 * kMiB));
}

TEST_F(FakeMemory, TheRangeOfAnAddressIsItsAllocation) {
  const CUdeviceptr base = allocate(1000);
  CUdeviceptr found = 0;
  size_t bytes = 0;
  ASSERT_EQ(driver().cuMemGetAddressRange(&found, &bytes, base + 999), CUDA_SUCCESS);
  EXPECT_EQ(found, base);
  EXPECT_EQ(bytes, 1000u);
  EXPECT_EQ(driver().cuMemGetAddressRange(&found, &bytes, base + 1000), CUDA_ERROR_NOT_FOUND);
}

TEST_F(FakeMemory, FreedMemoryIsGivenOutAgain) {
  const CUdeviceptr base = allocate(300);
  ASSERT_EQ(driver().cuMemFree(base), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemFree(base), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocate(300), base);
}

TEST_F(FakeMemory, CopiesOutsideOfWhatIsMappedAreRefused) {
  const CUdeviceptr base = allocate(4 * kMiB);
  uint32_t value = 0;
  EXPECT_EQ(driver().cuMemcpyHtoD(base + 4 * kMiB - 2, &value, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().cuMemcpyHtoD(base + 4 * kMiB - 4, &value, 4), CUDA_SUCCESS);
}

class VirtualMemory : public GpuTest {
 protected:
  CUmemGenericAllocationHandle create(size_t bytes) {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(driver().cuMemCreate(&handle, bytes, &properties_, 0), CUDA_SUCCESS);
    return handle;
  }
  CUresult open(CUdeviceptr base, size_t bytes) {
    const CUmemAccessDesc access = {properties_.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return driver().cuMemSetAccess(base, bytes, &access, 1);
  }
  CUmemAllocationProp properties_ = [] {
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return properties;
  }();
};

TEST_F(VirtualMemory, WindowsOf32MiBAreHonouredOthersAreNot) {
  CUdeviceptr window = 0, other = 0;
  ASSERT_EQ(driver().cuMemAddressReserve(&window, 32 * kMiB, 0, 0x5000'0000'0000, 0), CUDA_SUCCESS);
  EXPECT_EQ(window, 0x5000'0000'0000u);
  ASSERT_EQ(driver().cuMemAddressReserve(&other, 2 * kMiB, 0, 0x5000'0400'0000, 0), CUDA_SUCCESS);
  EXPECT_NE(other, 0x5000'0400'0000u);
  EXPECT_NE(other, 0u);
  EXPECT_EQ(driver().cuMemAddressFree(window, 32 * kMiB), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemAddressFree(other, 2 * kMiB), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, MappedMemoryNeedsAccessAndKeepsItsContentOverAnUnmap) {
  CUdeviceptr window = 0;
  ASSERT_EQ(driver().cuMemAddressReserve(&window, 4 * kMiB, 0, 0, 0), CUDA_SUCCESS);
  const auto handle = create(2 * kMiB);
  ASSERT_EQ(driver().cuMemMap(window, 2 * kMiB, 0, handle, 0), CUDA_SUCCESS);
  uint32_t value = 42;
  EXPECT_EQ(driver().cuMemcpyHtoD(window, &value, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(open(window, 2 * kMiB), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuMemcpyHtoD(window, &value, 4), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemMap(window, 2 * kMiB, 0, handle, 0), CUDA_ERROR_INVALID_VALUE) << "taken";
  ASSERT_EQ(driver().cuMemUnmap(window, 2 * kMiB), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemcpyHtoD(window, &value, 4), CUDA_ERROR_INVALID_VALUE);

  ASSERT_EQ(driver().cuMemMap(window + 2 * kMiB, 2 * kMiB, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(open(window + 2 * kMiB, 2 * kMiB), CUDA_SUCCESS);
  value = 0;
  ASSERT_EQ(driver().cuMemcpyDtoH(&value, window + 2 * kMiB, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(driver().cuMemAddressFree(window, 4 * kMiB), CUDA_ERROR_INVALID_VALUE) << "still mapped";
  ASSERT_EQ(driver().cuMemUnmap(window + 2 * kMiB, 2 * kMiB), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuMemAddressFree(window, 4 * kMiB), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, MemoryThatIsUsedUpIsSaidToBe) {
  size_t free = 0, total = 0;
  ASSERT_EQ(driver().cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  CUdeviceptr base = 0;
  EXPECT_EQ(driver().cuMemAlloc(&base, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace kernloop::cuda::fake
