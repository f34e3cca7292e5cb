// Kernloop's own kernels, loaded from their PTX as on a GPU.
#include <cstring>

#include "cuda/kernels/device_kernels.h"
#include "fakes/cuda/test/gpu_test.h"

namespace kernloop::cuda::fake {
namespace {

using OwnKernels = GpuTest;

TEST_F(OwnKernels, ChecksumsAreThoseOfTheHost) {
  auto kernels = DeviceKernels::load(driver());
  ASSERT_TRUE(kernels) << kernels.error().message;
  std::vector<float> values(3000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i);
  const CUdeviceptr base = upload(values);
  constexpr size_t kChunk = 8192;
  std::vector<Checksum128> checksums(2);
  const size_t bytes = values.size() * sizeof(float);
  ASSERT_TRUE((*kernels)->checksums(base, bytes, kChunk, checksums));
  std::vector<uint8_t> on_host(bytes);
  std::memcpy(on_host.data(), values.data(), bytes);
  EXPECT_EQ(checksums[0], checksum_on_host({on_host.data(), kChunk}));
  EXPECT_EQ(checksums[1], checksum_on_host({on_host.data() + kChunk, bytes - kChunk}));
}

TEST_F(OwnKernels, RestoringWritesWhatDiffers) {
  auto kernels = DeviceKernels::load(driver());
  ASSERT_TRUE(kernels) << kernels.error().message;
  const CUdeviceptr kept = upload({1, 2, 3}), changed = upload({1, 5, 3});
  uint64_t changed_bytes = 0;
  ASSERT_TRUE((*kernels)->restore(changed, kept, 12, &changed_bytes));
  EXPECT_EQ(download(changed, 3), (std::vector<float>{1, 2, 3}));
  EXPECT_GT(changed_bytes, 0u);
  EXPECT_LE(changed_bytes, 4u);
}

}  // namespace
}  // namespace kernloop::cuda::fake
