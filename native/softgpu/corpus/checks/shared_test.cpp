// Oracle: the same rearrangement on the host.
#include <gtest/gtest.h>

#include <algorithm>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

TEST(shared, dynamic) {
  constexpr unsigned kBlock = 160, kBlocks = 3;
  const auto in = random_reals<float>(kBlock * kBlocks, -9, 9, 1);
  const DeviceArray<float> din(in), out(in.size());
  launch("shared", "dynamic", Shape{dim3(kBlocks), dim3(kBlock), 2 * kBlock * 4}, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < in.size(); ++i) {
    const unsigned base = i / kBlock * kBlock, t = i % kBlock;
    ASSERT_EQ(got[i], in[base + (t + 1) % kBlock] + in[base + kBlock - 1 - t] * 2);
  }
}

TEST(shared, carved) {
  constexpr unsigned kCount = 250;
  const auto in = random_reals<double>(kCount, -9, 9, 2);
  const DeviceArray<double> din(in), out(kCount);
  launch("shared", "carved", Shape{dim3(1), dim3(kCount), kCount * 11}, din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned t = 0; t < kCount; ++t) {
    const unsigned from = (t + 5) % kCount * 37 % kCount;
    ASSERT_EQ(got[t], in[from] * (static_cast<int>(from % 3) - 1));
  }
}

TEST(shared, transpose) {
  constexpr unsigned kWidth = 75, kHeight = 50;
  const auto in = random_reals<float>(kWidth * kHeight, -9, 9, 3);
  const DeviceArray<float> din(in), out(in.size());
  launch("shared", "transpose", Shape{dim3(3, 2), dim3(32, 8)}, din.get(), out.get(), kWidth, kHeight);
  const auto got = out.download();
  for (unsigned y = 0; y < kHeight; ++y)
    for (unsigned x = 0; x < kWidth; ++x) ASSERT_EQ(got[x * kHeight + y], in[y * kWidth + x]);
}

TEST(shared, fetched) {
  constexpr unsigned kBlock = 256, kBlocks = 3;
  const auto in = random_words(kBlock * kBlocks, 5);
  const DeviceArray<uint32_t> din(in), out(in.size());
  launch("shared", "fetched", Shape{dim3(kBlocks), dim3(kBlock)}, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < in.size(); ++i) {
    const unsigned base = i / kBlock * kBlock, t = kBlock - 1 - i % kBlock;
    ASSERT_EQ(got[i], in[base + (t ^ 5)]) << i;
  }
}

TEST(shared, histogram) {
  std::vector<uint8_t> in;
  for (uint32_t word : random_words(20000, 4)) in.push_back(static_cast<uint8_t>(word % 200 * (word >> 8 & 1)));
  const DeviceArray<uint8_t> din(in);
  const DeviceArray<uint32_t> bins(std::vector<uint32_t>(256, 0));
  launch("shared", "histogram", Shape{dim3(5), dim3(192)}, din.get(), bins.get(), static_cast<unsigned>(in.size()));
  std::vector<uint32_t> expected(256, 0);
  for (uint8_t byte : in) ++expected[byte];
  EXPECT_EQ(bins.download(), expected);
}

struct Particle {
  float place[3];
  int16_t kind;
  uint8_t mark;
  double weight;
};

TEST(shared, structures) {
  constexpr unsigned kCount = 128;
  const auto words = random_words(kCount, 5);
  std::vector<Particle> in(kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    const auto x = static_cast<float>(words[i] % 1000);
    in[i] = {{x, x + 1, x + 2}, static_cast<int16_t>(words[i] >> 7), static_cast<uint8_t>(words[i]), x * 0.1};
  }
  const DeviceArray<Particle> din(in), out(kCount);
  launch("shared", "structures", Shape{dim3(2), dim3(64)}, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned base = i / 64 * 64, t = i % 64;
    const Particle& from = in[base + 63 - t];
    ASSERT_EQ(got[i].place[0], from.place[0]);
    ASSERT_EQ(got[i].place[1], from.place[1] + in[base + (t + 1) % 64].place[0]);
    ASSERT_EQ(got[i].place[2], from.place[2]);
    ASSERT_EQ(got[i].kind, from.kind);
    ASSERT_EQ(got[i].mark, static_cast<uint8_t>(from.mark ^ in[i].kind));
    ASSERT_EQ(got[i].weight, -from.weight);
  }
}

TEST(shared, widths) {
  constexpr unsigned kBlocks = 2;
  const auto in = random_words(64 * kBlocks, 6);
  const DeviceArray<uint32_t> din(in), out(4 * in.size());
  launch("shared", "widths", Shape{dim3(kBlocks), dim3(64)}, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < in.size(); ++i) {
    const unsigned base = i / 64 * 64, t = i % 64, o = (t * 11 + 3) % 64;
    const uint32_t v = in[base + o];
    const auto byte = static_cast<int8_t>(in[base + 5 * t % 256 / 4] >> (8 * (5 * t % 4)));
    const auto half = static_cast<int16_t>(in[base + o / 2] >> (16 * (o % 2)));
    ASSERT_EQ(got[4 * i], static_cast<uint32_t>(byte) + static_cast<uint32_t>(half));
    ASSERT_EQ(got[4 * i + 1], v ^ (v + 1) ^ (v ^ 2) ^ ~v);
    ASSERT_EQ(got[4 * i + 2], v * 3 + v * 5 - v * 7);
    ASSERT_EQ(got[4 * i + 3], (v << 1) ^ (v >> 1));
  }
}

TEST(shared, bitonic) {
  constexpr unsigned kBlock = 512, kBlocks = 2;
  auto data = random_words(kBlock * kBlocks, 7);
  const DeviceArray<uint32_t> ddata(data);
  launch("shared", "bitonic", Shape{dim3(kBlocks), dim3(kBlock), kBlock * 4}, ddata.get());
  for (unsigned block = 0; block < kBlocks; ++block)
    std::sort(data.begin() + block * kBlock, data.begin() + (block + 1) * kBlock);
  EXPECT_EQ(ddata.download(), data);
}

TEST(shared, through_function) {
  constexpr unsigned kCount = 512;
  std::vector<int> in;
  for (uint32_t word : random_words(kCount, 8)) in.push_back(static_cast<int>(word >> 1) | 1);
  const DeviceArray<int> din(in), out(kCount);
  launch("shared", "through_function", Shape{dim3(2), dim3(256)}, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], in[i ^ 1]);
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
