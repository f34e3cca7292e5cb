// Features that HIP 5.2 lacks by itself here, with the library in front of it (softgpu/hip).
#include <numeric>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {

TEST(Gates, LetRegisteredMemoryBeUnregisteredAndRegisteredAgain) {
  std::vector<int> data = ramp(10'000), other = ramp(1000);
  int* on_device = device_memory<int>(10'000);
  for (int round = 0; round < 3; ++round) {
    OK(hipHostRegister(data.data() + 1, 4000 * sizeof(int), hipHostRegisterMapped));
    OK(hipHostRegister(other.data(), 1000 * sizeof(int), hipHostRegisterDefault));
    void* seen = nullptr;
    OK(hipHostGetDevicePointer(&seen, data.data() + 1, 0));
    OK(launch("add", 4000, nullptr, seen, 4000, 10));
    OK(hipHostUnregister(data.data() + 1));  // waits for the kernel
    EXPECT_EQ(data[0], 0);
    EXPECT_EQ(data[4000], 4000 + 10 * (round + 1));
    EXPECT_EQ(hipHostUnregister(data.data() + 1), hipErrorHostMemoryNotRegistered);
    // From now on it is memory like any other, to copies of every size.
    for (const size_t count : {1u, 64u, 5000u, 10'000u}) {
      OK(hipMemcpy(on_device, data.data(), count * sizeof(int), hipMemcpyHostToDevice));
      OK(launch("add", static_cast<int>(count), nullptr, on_device, static_cast<int>(count), 1));
      std::vector<int> expected(data.begin(), data.begin() + static_cast<ptrdiff_t>(count));
      for (int& value : expected) value += 1;
      EXPECT_EQ(downloaded(on_device, count), expected);
    }
    OK(hipMemcpy2D(on_device, 64, data.data(), 128, 48, 100, hipMemcpyHostToDevice));
    OK(hipHostUnregister(other.data()));
  }
  // Longer than it was.
  OK(hipHostRegister(data.data() + 1, 8000 * sizeof(int), hipHostRegisterMapped));
  OK(hipHostUnregister(data.data() + 1));
  int plain = 0;
  EXPECT_EQ(hipHostUnregister(&plain), hipErrorHostMemoryNotRegistered);
  (void)hipGetLastError();
  OK(hipFree(on_device));
}

}  // namespace
}  // namespace kernloop::softgpu::surface
