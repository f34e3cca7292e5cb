// Oracle: a wave as an array, one lane after the other. DPP controls follow the ISA documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kBlocks = 3, kBlock = 128, kCount = kBlocks * kBlock;
const Shape kShape{dim3(kBlocks), dim3(kBlock)};

std::vector<int> numbers(uint32_t seed) {
  std::vector<int> values;
  for (uint32_t word : random_words(kCount, seed)) values.push_back(static_cast<int>(word % 199) - 99);
  return values;
}

// The value that lane `source` of i's wave holds.
template <typename T>
T from(const std::vector<T>& values, unsigned i, unsigned source) {
  return values[i / wave_size() * wave_size() + source];
}

TEST(lanes, shuffles) {
  const auto in = numbers(1);
  const DeviceArray<int> din(in), out(8 * kCount);
  launch("lanes", "shuffles", kShape, din.get(), out.get());
  const auto got = out.download();
  const unsigned width = wave_size();
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned lane = i % width;
    const auto group = [&](unsigned size) { return lane / size * size; };
    const unsigned sources[] = {
        (lane * 5 + 3) % width,      lane >= 3 ? lane - 3 : lane,     lane + 7 < width ? lane + 7 : lane,   lane ^ 21,
        group(16) + (lane + 1) % 16, lane % 8 >= 2 ? lane - 2 : lane, lane % 16 + 5 < 16 ? lane + 5 : lane, lane ^ 1};
    for (int k = 0; k < 8; ++k)
      ASSERT_EQ(got[8 * i + k], from(in, i, sources[k])) << "shuffle " << k << " of lane " << lane;
  }
}

TEST(lanes, shuffle_double) {
  std::vector<double> in;
  for (int value : numbers(2)) in.push_back(value * 0.25);  // sums are exact in any order
  const DeviceArray<double> din(in), out(kCount);
  launch("lanes", "shuffle_double", kShape, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    double sum = 0;
    for (unsigned lane = 0; lane < wave_size(); ++lane) sum += from(in, i, lane);
    ASSERT_EQ(got[i], sum);
  }
}

TEST(lanes, votes) {
  auto in = numbers(3);
  for (unsigned i = 0; i < 64; ++i)
    in[i] = 3 * static_cast<int>(i) + 1;  // a whole wave outside the branch, one value over 100
  in[100] = 77;
  const DeviceArray<int> din(in), flags(kCount);
  const DeviceArray<uint64_t> ballots(2 * kCount);
  launch("lanes", "votes", kShape, din.get(), ballots.get(), flags.get());
  const auto b = ballots.download();
  const auto f = flags.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint64_t positive = 0, inside = 0;
    bool any77 = false, all100 = true, any_odd = false;
    for (unsigned lane = 0; lane < wave_size(); ++lane) {
      const int value = from(in, i, lane);
      const bool third = value % 3 == 0;
      positive |= static_cast<uint64_t>(value > 0) << lane;
      inside |= static_cast<uint64_t>(third && value > 0) << lane;
      any77 |= value == 77;
      all100 &= value < 100;
      any_odd |= third && value % 2 == 1;
    }
    const bool third = in[i] % 3 == 0;
    ASSERT_EQ(b[2 * i], positive);
    ASSERT_EQ(b[2 * i + 1], third ? inside : 0);
    ASSERT_EQ(f[i], any77 | all100 << 1 | third << 2 | (third && any_odd) << 3);
  }
}

TEST(lanes, compact) {
  const auto in = numbers(4);
  constexpr unsigned kUsed = kCount - 29;  // the last wave is partly outside
  const DeviceArray<int> din(in), out(kCount);
  const DeviceArray<uint32_t> used(std::vector<uint32_t>{0});
  launch("lanes", "compact", kShape, din.get(), out.get(), used.get(), kUsed);
  std::vector<int> expected;
  std::copy_if(in.begin(), in.begin() + kUsed, std::back_inserter(expected), [](int value) { return value > 0; });
  ASSERT_EQ(used.download()[0], expected.size());
  auto got = out.download();
  got.resize(expected.size());
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected);
}

TEST(lanes, inclusive_scan) {
  const auto in = random_words(kCount, 5);
  const DeviceArray<uint32_t> din(in), out(kCount);
  launch("lanes", "inclusive_scan", kShape, din.get(), out.get());
  const auto got = out.download();
  uint32_t sum = 0;
  for (unsigned i = 0; i < kCount; ++i) {
    sum = i % wave_size() == 0 ? in[i] : sum + in[i];
    ASSERT_EQ(got[i], sum);
  }
}

TEST(lanes, swizzles) {
  const auto in = numbers(6);
  const DeviceArray<int> din(in), out(6 * kCount);
  launch("lanes", "swizzles", kShape, din.get(), out.get());
  const auto got = out.download();
  const unsigned width = wave_size();
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned lane = i % width, thread = i % kBlock;
    ASSERT_EQ(got[6 * i], from(in, i, lane ^ 31));
    ASSERT_EQ(got[6 * i + 1], from(in, i, (lane & 32) | (lane & 24) | 3));
    ASSERT_EQ(got[6 * i + 2], from(in, i, lane ^ 3));
    ASSERT_EQ(got[6 * i + 3], from(in, i, thread * 7 % width));
    unsigned source = 0;  // the lane that sends here: 5 has an inverse modulo a power of two
    while ((source * 5 + 1) % width != lane) ++source;
    ASSERT_EQ(got[6 * i + 4], from(in, i, source));
    ASSERT_EQ(got[6 * i + 5], from(in, i, 0) ^ from(in, i, 9));
  }
}

TEST(lanes, moves) {
  const auto in = numbers(7);
  const DeviceArray<int> din(in), out(8 * kCount);
  launch("lanes", "moves", kShape, din.get(), out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned lane = i % wave_size(), row = lane / 16, place = lane % 16, bank = place / 4, first = lane - place;
    const int value = in[i];
    const auto at = [&](unsigned in_row) { return from(in, i, first + in_row); };
    const bool half_mirror = (0x5 >> row & 1) && (0x3 >> bank & 1);
    const int expected[] = {at(place ^ 3),
                            place >= 1 ? at(place - 1) : -5,
                            place + 3 < 16 ? at(place + 3) : 0,
                            at((place + 11) % 16),
                            at(15 - place),
                            half_mirror ? at(place / 8 * 8 + 7 - place % 8) : -5,
                            value + (place >= 2 ? at(place - 2) : 0),
                            std::max(value, bank >= 2 ? at(place - 8) : value)};
    for (int k = 0; k < 8; ++k) ASSERT_EQ(got[8 * i + k], expected[k]) << "move " << k << " of lane " << lane;
  }
}

TEST(lanes, reduce) {
  const auto in = numbers(8);
  const DeviceArray<int> din(in), out(kCount / wave_size());
  launch("lanes", "reduce", kShape, din.get(), out.get());
  const auto got = out.download();
  for (unsigned wave = 0; wave < got.size(); ++wave) {
    const auto first = in.begin() + wave * wave_size();
    ASSERT_EQ(got[wave], std::accumulate(first, first + wave_size(), 0));
  }
}

TEST(lanes, lane_ids) {
  const DeviceArray<uint32_t> out(2 * kCount);
  launch("lanes", "lane_ids", kShape, out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(got[2 * i], i % wave_size());
    ASSERT_EQ(got[2 * i + 1], wave_size());
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
