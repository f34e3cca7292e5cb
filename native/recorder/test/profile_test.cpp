// The rows of a profile: quantiles of drawn dispatches against those of all, and what the limits leave out.
#include "recorder/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace kernloop::recorder {
namespace {

KernelRecord kernel(const std::string& symbol) {
  KernelRecord kernel;
  kernel.symbol = kernel.demangled = symbol;
  return kernel;
}

void add(Profile& profile, const KernelRecord& kernel, uint64_t value) {
  protocol::ProfileMessage sample;
  sample.value = value;
  profile.add(kernel, sample);
}

// Whether `value` has a rank in `sorted` within a hundredth of `wanted`, a share of the whole.
bool has_rank(const std::vector<uint64_t>& sorted, uint64_t value, double wanted) {
  const auto share = [&](auto at) {
    return static_cast<double>(at - sorted.begin()) / static_cast<double>(sorted.size());
  };
  return share(std::lower_bound(sorted.begin(), sorted.end(), value)) <= wanted + 0.01 &&
         share(std::upper_bound(sorted.begin(), sorted.end(), value)) >= wanted - 0.01;
}

struct Course {
  const char* name;
  std::function<uint64_t(uint64_t)> value;  // of a dispatch
};

class ProfileQuantiles : public testing::TestWithParam<Course> {};

TEST_P(ProfileQuantiles, OfDrawnDispatchesAreWithinAHundredthOfTheRanks) {
  constexpr uint64_t kDispatches = 1'000'003;
  Profile profile;
  const KernelRecord one = kernel("one");
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < kDispatches; ++i) {
    all.push_back(GetParam().value(i));
    add(profile, one, all.back());
  }
  std::sort(all.begin(), all.end());
  const archive::Json row = profile.rows().at(0);
  EXPECT_EQ(row["min"], all.front());
  EXPECT_EQ(row["max"], all.back());
  EXPECT_EQ(row["dispatches"], kDispatches);
  EXPECT_TRUE(has_rank(all, row["p10"], 0.1)) << row["p10"];
  EXPECT_TRUE(has_rank(all, row["median"], 0.5)) << row["median"];
  EXPECT_TRUE(has_rank(all, row["p90"], 0.9)) << row["p90"];
  EXPECT_TRUE(profile.notes().empty()) << profile.notes().front();
}

// The values on both sides of the kept number of dispatches, and with its period.
INSTANTIATE_TEST_SUITE_P(
    OfEveryCourse, ProfileQuantiles,
    testing::Values(Course{"rising", [](uint64_t i) { return i; }},
                    Course{"falling", [](uint64_t i) { return 2'000'000 - i; }},
                    Course{"period_of_two", [](uint64_t i) { return i % 2 == 0 ? i : 5'000'000 + i; }},
                    Course{"period_of_the_samples", [](uint64_t i) { return (i % 65536) * 1000 + i / 65536; }},
                    Course{"slow_at_first", [](uint64_t i) { return i < 65536 ? 9'000'000 + i : i; }},
                    Course{"long_tail",
                           [random = std::mt19937_64(3)](uint64_t) mutable {
                             return static_cast<uint64_t>(std::lognormal_distribution<>(8, 2)(random));
                           }}),
    [](const auto& course) { return std::string(course.param.name); });

TEST(Profile, IsExactUpToTheSamplesOfARow) {
  Profile profile;
  const KernelRecord one = kernel("one");
  constexpr uint64_t kDispatches = 1u << 16;
  for (uint64_t i = kDispatches; i > 0; --i) add(profile, one, i * i);
  const archive::Json row = profile.rows().at(0);
  // Between the two nearest ranks of the squares from 1 to 65536.
  EXPECT_EQ(row["median"], (32768u * 32768u + 32769u * 32769u) / 2);
}

TEST(Profile, CountsDispatchesOfKernelsBeyondItsRowsAndTellsOfThem) {
  Profile profile({.rows = 3});
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 6; ++k) add(profile, kernel("k" + std::to_string(k)), 10);
  }
  const archive::Json rows = profile.rows();
  ASSERT_EQ(rows.size(), 3u);
  for (const archive::Json& row : rows) EXPECT_EQ(row["dispatches"], 5);
  ASSERT_EQ(profile.notes().size(), 1u);
  EXPECT_EQ(profile.notes()[0], "the profile has the first 3 kernels: 15 dispatches of others are in no figure");
}

TEST(Profile, KeepsFewSamplesOfRowsBeyondItsMemoryAndTellsOfThem) {
  Profile profile({.samples_of_row = 4096, .samples_of_all = 8192, .fewest_samples_of_row = 512});
  std::vector<KernelRecord> kernels;
  for (int k = 0; k < 4; ++k) kernels.push_back(kernel("k" + std::to_string(k)));
  for (const KernelRecord& one : kernels) {
    for (uint64_t i = 0; i < 100'000; ++i) add(profile, one, i);
  }
  for (const archive::Json& row : profile.rows()) {
    EXPECT_EQ(row["total"], 99'999ull * 50'000);
    EXPECT_NEAR(row["median"].get<double>(), 50'000, 12'000) << row["symbol"];
  }
  ASSERT_EQ(profile.notes().size(), 1u);
  EXPECT_NE(profile.notes()[0].find("quantiles of 2 kernels are rough"), std::string::npos) << profile.notes()[0];
}

}  // namespace
}  // namespace kernloop::recorder
