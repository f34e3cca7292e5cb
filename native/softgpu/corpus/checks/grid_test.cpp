// Oracle: all threads of the grid in lockstep, one phase after the other.
#include <gtest/gtest.h>

#include <numeric>

#include "softgpu/corpus/harness/cooperative.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kBlocks = 12, kBlock = 96, kCount = kBlocks * kBlock, kRounds = 6;

std::vector<uint32_t> in_lockstep(std::vector<uint32_t> data) {
  for (unsigned round = 0; round < kRounds; ++round) {
    const auto before = data;
    for (unsigned i = 0; i < kCount; ++i) data[i] = before[i] * 3 + before[(i + kBlock * (round + 1) + 1) % kCount];
  }
  return data;
}

TEST(grid, grid_sync) {
  const auto in = random_words(kCount, 1);
  const DeviceArray<uint32_t> data(in);
  launch_cooperative("grid", "grid_sync", Shape{dim3(kBlocks), dim3(kBlock)}, data.get(), kRounds);
  auto expected = in_lockstep(in);
  for (uint32_t& word : expected) ++word;
  EXPECT_EQ(data.download(), expected);
}

TEST(grid, own_barrier) {
  const auto in = random_words(kCount, 2);
  const DeviceArray<uint32_t> data(in);
  launch("grid", "own_barrier", Shape{dim3(kBlocks), dim3(kBlock)}, data.get(), kRounds);
  EXPECT_EQ(data.download(), in_lockstep(in));
}

TEST(grid, chained_scan) {
  constexpr unsigned kScanBlocks = 40, kScanBlock = 256;
  const auto in = random_words(kScanBlocks * kScanBlock, 3);
  const DeviceArray<uint32_t> din(in), out(in.size()), ticket(std::vector<uint32_t>{0});
  const DeviceArray<uint64_t> totals(std::vector<uint64_t>(kScanBlocks, 0));
  launch("grid", "chained_scan", Shape{dim3(kScanBlocks), dim3(kScanBlock)}, din.get(), out.get(), totals.get(),
         ticket.get());
  std::vector<uint32_t> expected(in.size());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  EXPECT_EQ(out.download(), expected);
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
