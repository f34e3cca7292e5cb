// Oracle: the host, one thread after the other; values are chosen so that the order does not show.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/half.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 1000;

std::vector<int> numbers(uint32_t seed) {
  std::vector<int> values;
  for (uint32_t word : random_words(kCount, seed)) values.push_back(static_cast<int>(word) >> 8);
  return values;
}

TEST(atomics, integers32) {
  const auto values = numbers(1);
  std::vector<uint32_t> cells{0, 0, 0x7fffffff, 0x80000000, ~0u, 0, 0, ~0u, 0, 0, 5};
  const DeviceArray<uint32_t> dcells(cells);
  const DeviceArray<int> dvalues(values);
  launch("atomics", "integers32", cover(kCount), dcells.get(), dvalues.get(), kCount);
  for (int v : values) {
    const auto u = static_cast<uint32_t>(v);
    cells[0] += u;
    cells[1] -= u;
    cells[2] = static_cast<uint32_t>(std::min(static_cast<int>(cells[2]), v));
    cells[3] = static_cast<uint32_t>(std::max(static_cast<int>(cells[3]), v));
    cells[4] &= u | 0xff;
    cells[5] |= u & 0x0f0f;
    cells[6] ^= u;
    cells[7] = std::min(cells[7], u);
    cells[8] = std::max(cells[8], u);
    cells[9] = cells[9] >= 12 ? 0 : cells[9] + 1;
    cells[10] = cells[10] == 0 || cells[10] > 17 ? 17 : cells[10] - 1;
  }
  EXPECT_EQ(dcells.download(), cells);
}

TEST(atomics, integers64) {
  const auto values = random_longs(kCount, 2);
  std::vector<uint64_t> cells{0, ~uint64_t{0}, 0, ~uint64_t{0}, 0, 0};
  const DeviceArray<uint64_t> dcells(cells), dvalues(values);
  launch("atomics", "integers64", cover(kCount), dcells.get(), dvalues.get(), kCount);
  for (uint64_t v : values) {
    cells[0] += v;
    cells[1] = std::min(cells[1], v);
    cells[2] = std::max(cells[2], v);
    cells[3] &= v | 0xff00ff;
    cells[4] |= v & 0x0f0f0f0f0f;
    cells[5] ^= v;
  }
  EXPECT_EQ(dcells.download(), cells);
}

void expect_permutation(std::vector<uint32_t> order) {
  std::sort(order.begin(), order.end());
  for (unsigned i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

TEST(atomics, tickets) {
  const DeviceArray<uint32_t> next(std::vector<uint32_t>{0}), order(kCount), order64(kCount);
  const DeviceArray<uint64_t> next64(std::vector<uint64_t>{0});
  launch("atomics", "tickets", cover(kCount), next.get(), order.get(), next64.get(), order64.get(), kCount);
  EXPECT_EQ(next.download()[0], kCount);
  EXPECT_EQ(next64.download()[0], 3 * kCount);
  // The order itself differs from run to run: it stays out of the digest.
  std::vector<uint32_t> places(kCount);
  for (const auto* list : {&order, &order64}) {
    HIP_CHECK(hipMemcpy(places.data(), list->get(), kCount * 4, hipMemcpyDeviceToHost));
    expect_permutation(places);
  }
}

TEST(atomics, reals) {
  // Multiples of a quarter, small enough that every partial sum is exact.
  std::vector<double> values;
  for (int v : numbers(3)) values.push_back((v % 1000) * 0.25);
  const DeviceArray<double> dvalues(values), doubles(std::vector<double>{0, 0});
  const DeviceArray<float> floats(std::vector<float>{0, 0});
  launch("atomics", "reals", cover(kCount), floats.get(), doubles.get(), dvalues.get(), kCount);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  EXPECT_EQ(floats.download(), (std::vector<float>{static_cast<float>(sum), static_cast<float>(sum)}));
  EXPECT_EQ(doubles.download(), (std::vector<double>{sum, -sum}));
}

TEST(atomics, swap_loops) {
  const auto values = random_reals<double>(kCount, 0, 1e6, 4);
  const DeviceArray<double> dvalues(values);
  const DeviceArray<uint64_t> largest(std::vector<uint64_t>{0});
  const DeviceArray<uint32_t> product(std::vector<uint32_t>{1});
  launch("atomics", "swap_loops", cover(kCount), largest.get(), product.get(), dvalues.get(), kCount);
  EXPECT_EQ(std::bit_cast<double>(largest.download()[0]), *std::max_element(values.begin(), values.end()));
  uint32_t expected = 1;
  for (unsigned i = 0; i < kCount; ++i) expected *= 2 * i + 1;
  EXPECT_EQ(product.download()[0], expected);
}

TEST(atomics, exchange) {
  constexpr uint32_t kEnd = ~0u;
  const DeviceArray<uint32_t> head(std::vector<uint32_t>{kEnd}), next(kCount);
  launch("atomics", "exchange", cover(kCount), head.get(), next.get(), kCount);
  std::vector<uint32_t> links(kCount), first(1), visited;
  HIP_CHECK(hipMemcpy(links.data(), next.get(), kCount * 4, hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(first.data(), head.get(), 4, hipMemcpyDeviceToHost));
  for (uint32_t at = first[0]; at != kEnd && visited.size() <= kCount; at = links.at(at)) visited.push_back(at);
  ASSERT_EQ(visited.size(), kCount);
  expect_permutation(visited);
}

TEST(atomics, in_lds) {
  constexpr unsigned kBlock = 250, kBlocks = 4, kUsed = kBlock * kBlocks - 33;
  std::vector<int> values(kUsed);
  for (unsigned i = 0; i < kUsed; ++i) values[i] = static_cast<int>(i * 7919 % 4096) + 1;
  const DeviceArray<int> dvalues(values);
  const DeviceArray<uint32_t> out(16 * kBlocks);
  const DeviceArray<double> sums(2 * kBlocks);
  launch("atomics", "in_lds", Shape{dim3(kBlocks), dim3(kBlock)}, dvalues.get(), out.get(), sums.get(), kUsed);
  const auto got = out.download();
  const auto reals = sums.download();
  for (unsigned block = 0; block < kBlocks; ++block) {
    uint32_t cells[8] = {0, 0, 0x7fffffff, 0x80000001, 0, 0, 0, 0};
    uint64_t wide[3] = {0, ~uint64_t{0}, 0};
    double real = 0, half = 0;
    for (unsigned i = block * kBlock; i < std::min(kUsed, (block + 1) * kBlock); ++i) {
      const auto v = static_cast<uint32_t>(values[i]);
      cells[0] += v, cells[1] -= v, cells[2] = std::min(cells[2], v), cells[4] |= v & 0x3333, cells[5] ^= v;
      cells[3] = static_cast<uint32_t>(std::max(static_cast<int>(cells[3]), values[i]));
      cells[6] = cells[6] >= 9 ? 0 : cells[6] + 1, cells[7] += v & 7;
      wide[0] += v * 0x100000001u, wide[1] = std::min(wide[1], uint64_t{v} << 13),
                                   wide[2] = std::max(wide[2], uint64_t{v} << 13);
      real += v % 64, half += v * 0.5;
    }
    for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(got[16 * block + k], cells[k]) << "block " << block << " cell " << k;
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(got[16 * block + 8 + 2 * k] | uint64_t{got[16 * block + 9 + 2 * k]} << 32, wide[k])
          << "wide cell " << k;
    }
    EXPECT_EQ(reals[2 * block], real);
    EXPECT_EQ(reals[2 * block + 1], half);
  }
}

TEST(atomics, halves) {
  const auto values = numbers(5);
  const DeviceArray<int> dvalues(values);
  const DeviceArray<uint16_t> cells(std::vector<uint16_t>{0, 0});
  launch("atomics", "halves", cover(kCount), cells.get(), dvalues.get(), kCount);
  int sum = 0;
  for (int v : values) sum += v % 4;
  EXPECT_EQ(cells.download(), (std::vector<uint16_t>{to_half(sum), to_half(kCount)}));  // below 2048: exact
}

TEST(atomics, locks) {
  constexpr unsigned kBins = 7, kThreads = 400;
  const DeviceArray<uint32_t> lock(std::vector<uint32_t>(kBins, 0)), sums(std::vector<uint32_t>(kBins, 0));
  launch("atomics", "locks", cover(kThreads, 128), lock.get(), sums.get(), kBins, kThreads);
  const auto got = sums.download();
  for (unsigned bin = 0; bin < kBins; ++bin) {
    uint32_t sum = 0;
    for (unsigned i = bin; i < kThreads; i += kBins) sum = sum * 2 % 65521 + 1;
    EXPECT_EQ(got[bin], sum);
  }
}

TEST(atomics, scopes) {
  std::vector<uint32_t> start(4 + kCount, 0);
  const DeviceArray<uint32_t> cells(start);
  launch("atomics", "scopes", cover(kCount), cells.get(), kCount);
  std::vector<uint32_t> got(start.size());
  HIP_CHECK(hipMemcpy(got.data(), cells.get(), got.size() * 4, hipMemcpyDeviceToHost));
  for (unsigned k = 0; k < 3; ++k) EXPECT_EQ(got[k], kCount);
  // A compare-and-swap succeeds if it finds its own number, and otherwise returns the value it found.
  EXPECT_GE(got[3], 1u);
  unsigned swapped = 0;
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_LE(got[4 + i], kCount);
    swapped += got[4 + i] == i;
  }
  EXPECT_GE(swapped, got[3]);
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
