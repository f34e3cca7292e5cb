// Copies and fills of every kind, each against a loop on the host.
#include <algorithm>
#include <cstring>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {

TEST(Copies, InEveryDirection) {
  const std::vector<int> source = ramp(1000);
  int *one = device_memory<int>(1000), *two = device_memory<int>(1000);
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  OK(hipMemcpy(one, source.data(), 4000, hipMemcpyHostToDevice));
  OK(hipMemcpyAsync(two, one, 4000, hipMemcpyDeviceToDevice, stream));
  std::vector<int> back(1000, -1);
  OK(hipMemcpyAsync(back.data(), two, 4000, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(back, source);
  std::fill(back.begin(), back.end(), -1);
  OK(hipMemcpy(back.data(), source.data(), 4000, hipMemcpyHostToHost));
  EXPECT_EQ(back, source);
  std::fill(back.begin(), back.end(), -1);
  OK(hipMemcpy(back.data(), one, 4000, hipMemcpyDefault));
  EXPECT_EQ(back, source);
  // Odd sizes at odd offsets.
  OK(hipMemcpy(reinterpret_cast<char*>(two) + 3, reinterpret_cast<char*>(one) + 5, 1001, hipMemcpyDeviceToDevice));
  std::vector<int> expected = source;
  std::memcpy(reinterpret_cast<char*>(expected.data()) + 3, reinterpret_cast<const char*>(source.data()) + 5, 1001);
  EXPECT_EQ(downloaded(two, 1000), expected);
  OK(hipStreamDestroy(stream));
  OK(hipFree(one));
  OK(hipFree(two));
}

TEST(Copies, ByTheDriverStyleFunctions) {
  std::vector<int> source = ramp(100, 5);
  int *one = device_memory<int>(100), *two = device_memory<int>(100);
  OK(hipMemcpyHtoD(one, source.data(), 400));
  OK(hipMemcpyDtoD(two, one, 400));
  std::vector<int> back(100);
  OK(hipMemcpyDtoH(back.data(), two, 400));
  EXPECT_EQ(back, source);
  OK(hipFree(one));
  OK(hipFree(two));
}

TEST(Copies, InAStreamAndToThePeerThatIsTheDeviceItself) {
  const std::vector<int> source = ramp(1000);
  int *one = device_memory<int>(1000), *two = device_memory<int>(1000);
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  OK(hipMemcpyHtoDAsync(one, const_cast<int*>(source.data()), 4000, stream));
  OK(hipMemcpyDtoDAsync(two, one, 4000, stream));
  std::vector<int> back(1000, -1), beside(1000, -1);
  OK(hipMemcpyDtoHAsync(back.data(), two, 4000, stream));
  OK(hipMemcpyAsync(beside.data(), source.data(), 4000, hipMemcpyHostToHost, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(back, source);
  EXPECT_EQ(beside, source);
  OK(hipMemset(two, 0, 4000));
  OK(hipMemcpyPeer(two, 0, one, 0, 2000));
  OK(hipMemcpyPeerAsync(two + 500, 0, one + 500, 0, 2000, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(downloaded(two, 1000), source);
  OK(hipMemset(two, 0, 4000));
  OK(hipMemcpyWithStream(two, one, 4000, hipMemcpyDeviceToDevice, stream));
  EXPECT_EQ(downloaded(two, 1000), source);
  EXPECT_EQ(hipMemcpyPeer(two, 1, one, 0, 4000), hipErrorInvalidDevice);
  EXPECT_EQ(hipMemcpy(two, one, 8000, hipMemcpyDeviceToDevice), hipErrorInvalidValue) << "longer than the allocation";
  OK(hipMemcpy(two, one, 0, hipMemcpyDeviceToDevice));
  OK(hipStreamDestroy(stream));
  OK(hipFree(one));
  OK(hipFree(two));
}

// Rows of `width` bytes at their pitches, as the host would copy them.
void copy_rows(std::vector<uint8_t>& to, size_t to_pitch, const std::vector<uint8_t>& from, size_t from_pitch,
               size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row) std::memcpy(&to[row * to_pitch], &from[row * from_pitch], width);
}

TEST(Copies, OfRowsLeaveThePaddingAlone) {
  constexpr size_t kWidth = 100, kHeight = 7, kHostPitch = 132;
  void* memory = nullptr;
  size_t pitch = 0;
  OK(hipMallocPitch(&memory, &pitch, kWidth, kHeight));
  ASSERT_GE(pitch, kWidth);
  std::vector<uint8_t> source(kHostPitch * kHeight);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 7 + 1);
  OK(hipMemset(memory, 0xee, pitch * kHeight));
  OK(hipMemcpy2D(memory, pitch, source.data(), kHostPitch, kWidth, kHeight, hipMemcpyHostToDevice));
  std::vector<uint8_t> expected(pitch * kHeight, 0xee), all(pitch * kHeight);
  copy_rows(expected, pitch, source, kHostPitch, kWidth, kHeight);
  OK(hipMemcpy(all.data(), memory, all.size(), hipMemcpyDeviceToHost));
  EXPECT_EQ(all, expected);

  void* other = nullptr;
  size_t other_pitch = 0;
  OK(hipMallocPitch(&other, &other_pitch, kWidth + 60, kHeight));
  OK(hipMemset2D(other, other_pitch, 0x11, kWidth + 60, kHeight));
  OK(hipMemcpy2DAsync(other, other_pitch, memory, pitch, kWidth, kHeight, hipMemcpyDeviceToDevice, nullptr));
  std::vector<uint8_t> rows(kHostPitch * kHeight, 0x22), wanted(kHostPitch * kHeight, 0x22);
  OK(hipMemcpy2D(rows.data(), kHostPitch, other, other_pitch, kWidth + 20, kHeight, hipMemcpyDeviceToHost));
  std::vector<uint8_t> model(other_pitch * kHeight, 0x11);
  copy_rows(model, other_pitch, source, kHostPitch, kWidth, kHeight);
  copy_rows(wanted, kHostPitch, model, other_pitch, kWidth + 20, kHeight);
  EXPECT_EQ(rows, wanted);
  OK(hipFree(memory));
  OK(hipFree(other));
}

TEST(Copies, OfRowsByDescriptorsLeaveTheRestAlone) {
  constexpr size_t kPitch = 132, kRows = 8;
  auto* memory = device_memory<uint8_t>(kPitch * kRows);
  std::vector<uint8_t> source(100 * kRows);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 7 + 1);
  hip_Memcpy2D rows{};
  rows.srcMemoryType = hipMemoryTypeHost;
  rows.srcHost = source.data();
  rows.srcPitch = 100, rows.srcXInBytes = 3, rows.srcY = 1;
  rows.dstMemoryType = hipMemoryTypeDevice;
  rows.dstDevice = memory;
  rows.dstPitch = kPitch, rows.dstXInBytes = 5, rows.dstY = 2;
  rows.WidthInBytes = 50, rows.Height = 4;
  std::vector<uint8_t> expected(kPitch * kRows, 0xee), all(kPitch * kRows);
  for (size_t row = 0; row < 4; ++row) std::memcpy(&expected[(row + 2) * kPitch + 5], &source[(row + 1) * 100 + 3], 50);
  using Copy = hipError_t (*)(const hip_Memcpy2D*);
  for (const Copy copy :
       std::initializer_list<Copy>{[](const hip_Memcpy2D* box) { return hipMemcpyParam2D(box); },
                                   [](const hip_Memcpy2D* box) { return hipMemcpyParam2DAsync(box, nullptr); },
                                   [](const hip_Memcpy2D* box) { return hipDrvMemcpy2DUnaligned(box); }}) {
    OK(hipMemset2DAsync(memory, kPitch, 0xee, kPitch, kRows, nullptr));
    OK(copy(&rows));
    OK(hipMemcpy(all.data(), memory, all.size(), hipMemcpyDeviceToHost));
    EXPECT_EQ(all, expected);
  }
  EXPECT_EQ(hipMemcpy2D(memory, 50, source.data(), 100, 100, kRows, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  OK(hipFree(memory));
}

TEST(Copies, OfBoxesInThreeDimensions) {
  constexpr size_t kWidth = 40, kHeight = 5, kDepth = 3;
  hipPitchedPtr box{};
  OK(hipMalloc3D(&box, hipExtent{kWidth, kHeight, kDepth}));
  OK(hipMemset3D(box, 0x5a, hipExtent{kWidth, kHeight, kDepth}));
  std::vector<uint8_t> source(kWidth * kHeight * kDepth);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i);
  hipMemcpy3DParms up{};
  up.srcPtr = hipPitchedPtr{source.data(), kWidth, kWidth, kHeight};
  up.dstPtr = box;
  up.dstPos = hipPos{4, 1, 1};
  up.extent = hipExtent{20, 3, 2};
  up.kind = hipMemcpyHostToDevice;
  OK(hipMemcpy3D(&up));
  std::vector<uint8_t> back(source.size(), 0);
  hipMemcpy3DParms down{};
  down.srcPtr = box;
  down.dstPtr = hipPitchedPtr{back.data(), kWidth, kWidth, kHeight};
  down.extent = hipExtent{kWidth, kHeight, kDepth};
  down.kind = hipMemcpyDeviceToHost;
  OK(hipMemcpy3DAsync(&down, nullptr));
  OK(hipDeviceSynchronize());
  std::vector<uint8_t> expected(source.size(), 0x5a);
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 3; ++y)
      for (size_t x = 0; x < 20; ++x)
        expected[((z + 1) * kHeight + y + 1) * kWidth + x + 4] = source[(z * kHeight + y) * kWidth + x];
  EXPECT_EQ(back, expected);
  OK(hipFree(box.ptr));
}

TEST(Fills, OfBytesHalvesAndWords) {
  auto* memory = device_memory<uint8_t>(4096);
  OK(hipMemset(memory, 0, 4096));
  // At least up to the next multiple of 8: there HIP 5.2.3 launches its fill kernel over 2^32 bytes by mistake.
  OK(hipMemsetD8(memory + 1, 0xab, 7));
  OK(hipMemsetD16(memory + 16, 0x1234, 5));
  OK(hipMemsetD32(memory + 64, static_cast<int>(0xdeadbeef), 7));
  OK(hipMemsetAsync(memory + 1000, 0x77, 1001, nullptr));
  OK(hipMemsetD32Async(memory + 3000, 0x01020304, 3, nullptr));
  std::vector<uint8_t> expected(4096, 0), all(4096);
  std::fill_n(&expected[1], 7, 0xab);
  for (int i = 0; i < 5; ++i) expected[16 + 2 * i] = 0x34, expected[17 + 2 * i] = 0x12;
  for (int i = 0; i < 7; ++i) {
    const uint32_t word = 0xdeadbeef;
    std::memcpy(&expected[64 + 4 * i], &word, 4);
  }
  std::fill_n(&expected[1000], 1001, 0x77);
  for (int i = 0; i < 3; ++i) {
    const uint32_t word = 0x01020304;
    std::memcpy(&expected[3000 + 4 * i], &word, 4);
  }
  OK(hipMemcpy(all.data(), memory, 4096, hipMemcpyDeviceToHost));
  EXPECT_EQ(all, expected);
  OK(hipFree(memory));
}

TEST(Fills, InAStreamOfEveryWidth) {
  auto* memory = device_memory<uint8_t>(1024);
  hipPitchedPtr box{};
  OK(hipMalloc3D(&box, hipExtent{40, 5, 3}));
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  OK(hipMemsetAsync(memory, 0, 1024, stream));
  OK(hipMemsetD8Async(memory, 0x12, 16, stream));
  OK(hipMemsetD16Async(memory + 32, 0x3456, 9, stream));
  OK(hipMemset2DAsync(memory + 128, 64, 0x77, 10, 3, stream));
  OK(hipMemset3DAsync(box, 0x5a, hipExtent{40, 5, 3}, stream));
  OK(hipStreamSynchronize(stream));
  std::vector<uint8_t> expected(1024, 0), all(1024), cube(box.pitch * 15);
  std::fill_n(&expected[0], 16, 0x12);
  for (int i = 0; i < 9; ++i) expected[32 + 2 * i] = 0x56, expected[33 + 2 * i] = 0x34;
  for (int row = 0; row < 3; ++row) std::fill_n(&expected[128 + 64 * row], 10, 0x77);
  OK(hipMemcpy(all.data(), memory, 1024, hipMemcpyDeviceToHost));
  EXPECT_EQ(all, expected);
  OK(hipMemcpy(cube.data(), box.ptr, cube.size(), hipMemcpyDeviceToHost));
  for (size_t row = 0; row < 15; ++row)
    EXPECT_EQ(std::count(&cube[row * box.pitch], &cube[row * box.pitch] + 40, 0x5a), 40) << row;
  EXPECT_EQ(hipMemset(nullptr, 0, 16), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(memory, 0, size_t{1} << 40), hipErrorInvalidValue);
  (void)hipGetLastError();
  OK(hipStreamDestroy(stream));
  OK(hipFree(box.ptr));
  OK(hipFree(memory));
}

}  // namespace
}  // namespace kernloop::softgpu::surface
