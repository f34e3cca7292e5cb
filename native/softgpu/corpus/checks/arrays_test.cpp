// Oracle: the same computation on the host; copies in two dimensions by HIP, compared byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 300;

TEST(arrays, private_array) {
  const auto in = random_words(kCount, 1);
  const DeviceArray<uint32_t> din(in), out(kCount);
  launch("arrays", "private_array", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint32_t counts[16], sum = 0;
    std::iota(std::begin(counts), std::end(counts), 0);
    for (unsigned k = 0; k < 32; ++k) counts[in[i] >> k & 15] += k + counts[in[i] >> (k / 2) & 15];
    for (uint32_t count : counts) sum = sum * 31 + count;
    ASSERT_EQ(got[i], sum);
  }
}

TEST(arrays, private_bytes) {
  const auto in = random_words(kCount, 2);
  const DeviceArray<uint32_t> din(in);
  const DeviceArray<double> out(kCount);
  launch("arrays", "private_bytes", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const auto byte = [&](unsigned k) { return static_cast<int8_t>(in[i] >> (k % 25)); };
    const unsigned which = (in[i] >> (in[i] % 5)) % 12;
    const auto number = static_cast<uint16_t>(byte((in[i] + which) % 24) * 259);
    ASSERT_EQ(got[i], number * 0.5 + byte(in[i] % 24));
  }
}

TEST(arrays, invert) {
  auto in = random_reals<double>(16 * kCount, -2, 2, 3);
  for (unsigned i = 0; i < 16 * kCount; i += 32) in[i] = 0;  // must pivot
  const DeviceArray<double> din(in), out(in.size());
  launch("arrays", "invert", cover(kCount, 64), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    double largest = 0;
    for (unsigned k = 0; k < 16; ++k) largest = std::max(largest, std::fabs(got[16 * i + k]));
    for (unsigned r = 0; r < 4; ++r) {
      for (unsigned c = 0; c < 4; ++c) {
        double sum = 0;
        for (unsigned k = 0; k < 4; ++k) sum += in[16 * i + 4 * r + k] * got[16 * i + 4 * k + c];
        ASSERT_NEAR(sum, r == c, 1e-12 * (1 + largest)) << "matrix " << i;
      }
    }
  }
}

struct Settings {
  char mode;
  double scale;
  int16_t offsets[5];
  struct {
    uint8_t low;
    int high;
  } range;
  const float* table;
};

TEST(arrays, by_value) {
  // Eighths: products and sums are exact, contracted or not.
  std::vector<float> in;
  for (uint32_t word : random_words(kCount, 4)) in.push_back(static_cast<float>(word % 4000) / 8 - 250);
  const DeviceArray<float> din(in);
  const DeviceArray<double> out(kCount);
  for (char mode : {'c', 'x'}) {
    const Settings settings{mode, 2.5, {-7, 0, 99, -100, 3}, {200, 300}, din.get()};
    launch("arrays", "by_value", cover(kCount), settings, static_cast<const float*>(din.get()), out.get(), kCount);
    const auto got = out.download();
    for (unsigned i = 0; i < kCount; ++i) {
      const double value = in[i] * 2.5 + in[(i + static_cast<unsigned>(settings.offsets[i % 5] + 100)) % kCount];
      ASSERT_EQ(got[i], mode == 'c' ? std::clamp(value, 200.0, 300.0) : value);
    }
  }
}

TEST(arrays, large_argument) {
  struct Large {
    int values[600];
  } by;
  for (int k = 0; k < 600; ++k) by.values[k] = k * k - 1000 * k;
  std::vector<int> in;
  for (uint32_t word : random_words(kCount, 5)) in.push_back(static_cast<int>(word));
  const DeviceArray<int> din(in), out(kCount);
  launch("arrays", "large_argument", cover(kCount), by, din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i)
    ASSERT_EQ(got[i], by.values[static_cast<unsigned>(in[i]) % 600] - by.values[i % 600]);
}

TEST(arrays, pitched) {
  constexpr int kWidth = 61, kHeight = 23;
  const auto in = random_reals<float>(kWidth * kHeight, -5, 5, 6);
  const std::vector<float> by{1, 2, 1, 2, 4, 2, -1, 3, 0.5f};
  size_t bytes = 0;
  void* weights = variable("arrays", "weights", &bytes);
  ASSERT_EQ(bytes, 9 * sizeof(float));
  HIP_CHECK(hipMemcpyHtoD(weights, const_cast<float*>(by.data()), bytes));
  void *from = nullptr, *to = nullptr;
  size_t from_pitch = 0, to_pitch = 0;
  HIP_CHECK(hipMallocPitch(&from, &from_pitch, kWidth * 4, kHeight));
  HIP_CHECK(hipMallocPitch(&to, &to_pitch, kWidth * 4 + 200, kHeight));
  ASSERT_GE(from_pitch, kWidth * 4u);
  ASSERT_NE(from_pitch, to_pitch);
  HIP_CHECK(hipMemset2D(to, to_pitch, 0xee, kWidth * 4 + 4, kHeight));
  HIP_CHECK(hipMemcpy2D(from, from_pitch, in.data(), kWidth * 4, kWidth * 4, kHeight, hipMemcpyHostToDevice));
  launch("arrays", "pitched", Shape{dim3(4, 6), dim3(16, 4)}, from, to, static_cast<unsigned>(from_pitch),
         static_cast<unsigned>(to_pitch), kWidth, kHeight);
  std::vector<float> got((kWidth + 1) * kHeight);
  HIP_CHECK(hipMemcpy2D(got.data(), (kWidth + 1) * 4, to, to_pitch, (kWidth + 1) * 4, kHeight, hipMemcpyDeviceToHost));
  add_to_digest(std::as_bytes(std::span(got)));
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      float sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          sum = std::fma(by[(dy + 1) * 3 + dx + 1],
                         in[std::clamp(y + dy, 0, kHeight - 1) * kWidth + std::clamp(x + dx, 0, kWidth - 1)], sum);
      ASSERT_EQ(got[y * (kWidth + 1) + x], sum) << x << ", " << y;
    }
    uint32_t beside = 0;  // bytes right of the picture are as hipMemset2D left them
    std::memcpy(&beside, &got[y * (kWidth + 1) + kWidth], 4);
    ASSERT_EQ(beside, 0xeeeeeeeeu);
  }
  // Device to device, a window of it.
  HIP_CHECK(hipMemcpy2D(from, from_pitch, static_cast<char*>(to) + 3 * to_pitch + 8, to_pitch, 20 * 4, 9,
                        hipMemcpyDeviceToDevice));
  std::vector<float> window(20 * 9);
  HIP_CHECK(hipMemcpy2D(window.data(), 80, from, from_pitch, 80, 9, hipMemcpyDeviceToHost));
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 20; ++x) ASSERT_EQ(window[y * 20 + x], got[(y + 3) * (kWidth + 1) + x + 2]);
  HIP_CHECK(hipFree(from));
  HIP_CHECK(hipFree(to));
}

TEST(arrays, copies_3d) {
  constexpr size_t kWidth = 24, kHeight = 7, kDepth = 5;
  hipPitchedPtr box{};
  HIP_CHECK(hipMalloc3D(&box, hipExtent{kWidth * 4, kHeight, kDepth}));
  const auto in = random_words(kWidth * kHeight * kDepth, 7);
  hipMemcpy3DParms there{};
  there.srcPtr = hipPitchedPtr{const_cast<uint32_t*>(in.data()), kWidth * 4, kWidth, kHeight};
  there.dstPtr = box;
  there.extent = hipExtent{kWidth * 4, kHeight, kDepth};
  there.kind = hipMemcpyHostToDevice;
  HIP_CHECK(hipMemcpy3D(&there));
  std::vector<uint32_t> got(10 * 3 * 2, 0);
  hipMemcpy3DParms back{};
  back.srcPtr = box;
  back.srcPos = hipPos{8, 2, 1};  // bytes, rows, slices
  back.dstPtr = hipPitchedPtr{got.data(), 40, 10, 3};
  back.extent = hipExtent{40, 3, 2};
  back.kind = hipMemcpyDeviceToHost;
  HIP_CHECK(hipMemcpy3D(&back));
  for (unsigned z = 0; z < 2; ++z)
    for (unsigned y = 0; y < 3; ++y)
      for (unsigned x = 0; x < 10; ++x)
        ASSERT_EQ(got[(z * 3 + y) * 10 + x], in[((z + 1) * kHeight + y + 2) * kWidth + x + 2])
            << x << ", " << y << ", " << z;
  HIP_CHECK(hipFree(box.ptr));
}

TEST(arrays, variables) {
  const DeviceArray<int> out(kCount);
  void* total = variable("arrays", "total");
  int before = 0, after = 0;
  HIP_CHECK(hipMemcpyDtoH(&before, total, 4));
  EXPECT_EQ(before, 3);
  launch("arrays", "variables", cover(kCount), out.get(), kCount);
  HIP_CHECK(hipMemcpyDtoH(&after, total, 4));
  constexpr int kLookup[] = {-3, 5, 700, -32768};
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(got[i], kLookup[i % 4]);
    before += kLookup[i % 4];
  }
  EXPECT_EQ(after, before);
}

TEST(arrays, jagged) {
  std::vector<std::unique_ptr<DeviceArray<int>>> rows;
  std::vector<int*> pointers;
  std::vector<uint32_t> lengths;
  for (unsigned i = 0; i < 100; ++i) {
    std::vector<int> row(i * 7 % 23 + 1);
    std::iota(row.begin(), row.end(), static_cast<int>(i));
    rows.push_back(std::make_unique<DeviceArray<int>>(row));
    pointers.push_back(rows.back()->get());
    lengths.push_back(static_cast<uint32_t>(row.size()) - (i % 3 == 0));
  }
  const DeviceArray<int*> dpointers(pointers);
  const DeviceArray<uint32_t> dlengths(lengths);
  const DeviceArray<int> sums(100);
  launch("arrays", "jagged", cover(100, 32), dpointers.get(), dlengths.get(), sums.get(), 100u);
  const auto got = sums.download();
  for (unsigned i = 0; i < 100; ++i) {
    const auto row = rows[i]->download();
    int sum = 0;
    for (unsigned k = 0; k < row.size(); ++k) {
      const int start = static_cast<int>(i + k);
      ASSERT_EQ(row[k], k < lengths[i] ? 2 * start : start);
      if (k < lengths[i]) sum += 2 * start;
    }
    ASSERT_EQ(got[i], sum);
  }
}

TEST(arrays, walk) {
  struct Node {
    uint64_t next;
    int value;
  };
  const DeviceArray<Node> nodes(500);
  const auto address = [&](size_t i) { return reinterpret_cast<uint64_t>(nodes.get() + i); };
  const auto words = random_words(500, 8);
  std::vector<Node> list(500);
  for (size_t i = 0; i < 500; ++i)  // each points further on, or is an end
    list[i] = {words[i] % 9 == 0 || i + 5 >= 500 ? 0 : address(i + 1 + words[i] % 4), static_cast<int>(words[i] % 100)};
  HIP_CHECK(hipMemcpy(nodes.get(), list.data(), 500 * sizeof(Node), hipMemcpyHostToDevice));
  std::vector<uint64_t> heads;
  for (size_t i = 0; i < kCount; ++i) heads.push_back(i % 17 == 5 ? 0 : address(i));
  const DeviceArray<uint64_t> dheads(heads);
  const DeviceArray<int> sums(kCount);
  launch("arrays", "walk", cover(kCount), dheads.get(), sums.get(), kCount);
  const auto got = sums.download();
  for (size_t i = 0; i < kCount; ++i) {
    uint32_t sum = 0;
    for (uint64_t at = heads[i]; at != 0; at = list[(at - address(0)) / sizeof(Node)].next)
      sum = sum * 3 + static_cast<uint32_t>(list[(at - address(0)) / sizeof(Node)].value);
    ASSERT_EQ(got[i], static_cast<int>(sum));
  }
}

TEST(arrays, odd_sizes) {
  std::vector<uint8_t> bytes, unaligned;
  std::vector<uint16_t> shorts;
  std::vector<float> floats;
  for (uint32_t word : random_words(3 * kCount, 9)) {
    bytes.push_back(static_cast<uint8_t>(word));
    shorts.push_back(static_cast<uint16_t>(word >> 9));
    floats.push_back(static_cast<float>(word >> 20 & 63));
  }
  for (uint32_t word : random_words(5 * kCount + 8, 10)) unaligned.push_back(static_cast<uint8_t>(word));
  const DeviceArray<uint8_t> dbytes(bytes), dunaligned(unaligned);
  const DeviceArray<uint16_t> dshorts(shorts);
  const DeviceArray<float> dfloats(floats), out(kCount);
  launch("arrays", "odd_sizes", cover(kCount), dbytes.get(), dshorts.get(), dfloats.get(), dunaligned.get(), out.get(),
         kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, &unaligned[5 * i + 1], 4);
    ASSERT_EQ(got[i], bytes[3 * i] + bytes[3 * i + 2] * 2 + shorts[3 * i + 1] + floats[3 * i] * floats[3 * i + 2] +
                          static_cast<float>(word >> 12));
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
