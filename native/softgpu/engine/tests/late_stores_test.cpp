// Data published before they are stored are missed: in an order in which the publishing wave is kept, and by others
// before its stores have arrived (late_stores.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "softgpu/engine/tests/program.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kStoringItems = 128, kMostGroups = 64, kSeeds = 20;

struct StoringCode {
  const char* name;
  const char* file;
  Isa isa;
  friend void PrintTo(const StoringCode& code, std::ostream* out) { *out << code.name; }
};

class LateStores : public ::testing::TestWithParam<StoringCode> {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/" + GetParam().file, GetParam().isa};
  Array<uint32_t> in{device.space, kStoringItems*kMostGroups, "in"},
      out{device.space, kStoringItems*kMostGroups, "out"}, shared{device.space, kStoringItems*kMostGroups, "shared"},
      flags{device.space, kMostGroups, "flags"}, counter{device.space, 1, "counter"};
  uint64_t instructions = 0;

  LateStores() { std::iota(in.begin(), in.end(), 1u); }

  void run(const std::string& kernel, const Arguments& arguments, uint32_t groups, DispatchOptions options) {
    for (Array<uint32_t>* array : {&out, &shared, &flags, &counter}) std::fill(array->begin(), array->end(), 0u);
    options.max_wave_instructions = 20'000'000;
    const DispatchOutcome outcome =
        device.run(kernel, linear(kStoringItems * groups, kStoringItems), arguments, options);
    EXPECT_FALSE(outcome.fault) << kernel << ": " << outcome.fault->text();
    instructions = outcome.counters.wave_instructions;
  }
  // Number of adverse orders in which the kernel's result differs from the usual order's.
  unsigned orders_that_show(const std::string& kernel, const Arguments& arguments, uint32_t groups, bool races = true) {
    run(kernel, arguments, groups, {.threads = 1});
    const auto left = [&] {
      std::vector<uint32_t> all(out.begin(), out.end());
      for (Array<uint32_t>* array : {&shared, &flags, &counter}) all.insert(all.end(), array->begin(), array->end());
      return all;
    };
    const std::vector<uint32_t> usual = left();
    unsigned shown = 0;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      run(kernel, arguments, groups, {.seed = seed, .adverse = {.wave_instructions = 1 << 24, .races = races}});
      shown += left() != usual;
    }
    return shown;
  }
  Arguments tickets(uint32_t groups) {
    return Arguments(in.address(), shared.address(), counter.address(), out.address(), groups);
  }
  Arguments scan() { return Arguments(in.address(), shared.address(), flags.address(), counter.address()); }
};

constexpr StoringCode kOptimised[] = {{"gfx90aO3", "races_gfx90a_O3.hsaco", Isa::kGfx90a},
                                      {"gfx1030O3", "races_gfx1030_O3.hsaco", Isa::kGfx1030}};
constexpr StoringCode kAll[] = {{"gfx90aO0", "races_gfx90a_O0.hsaco", Isa::kGfx90a},
                                {"gfx1030O0", "races_gfx1030_O0.hsaco", Isa::kGfx1030},
                                kOptimised[0],
                                kOptimised[1]};
const auto kName = [](const auto& info) { return info.param.name; };

using PublishedTooEarly = LateStores;
INSTANTIATE_TEST_SUITE_P(Compiled, PublishedTooEarly, ::testing::ValuesIn(kAll), kName);

TEST_P(PublishedTooEarly, AreMissed) {
  for (const uint32_t groups : {4u, 12u, kMostGroups}) {
    EXPECT_GE(orders_that_show("ticket_before_data", tickets(groups), groups), groups == 4 ? 10u : 18u) << groups;
    EXPECT_GE(orders_that_show("flag_before_data", scan(), groups), groups == 4 ? 10u : 18u) << groups;
  }
}

// Without the checker stores arrive at once: the publishing wave is kept all the same.
TEST_P(PublishedTooEarly, AreMissedByTheOrderAlone) {
  EXPECT_GE(orders_that_show("ticket_before_data", tickets(12), 12, false), 18u);
  EXPECT_GE(orders_that_show("flag_before_data", scan(), 12, false), 18u);
}

// Unoptimised code waits between the two, for an address that it loads.
using StoresWithoutAFence = LateStores;
INSTANTIATE_TEST_SUITE_P(Compiled, StoresWithoutAFence, ::testing::ValuesIn(kOptimised), kName);

TEST_P(StoresWithoutAFence, AreMissed) {
  for (const uint32_t groups : {4u, 12u, kMostGroups}) {
    EXPECT_GE(orders_that_show("ticket_without_fence", tickets(groups), groups), groups == 4 ? 10u : 18u) << groups;
    EXPECT_GE(orders_that_show("flag_without_fence", scan(), groups), groups == 4 ? 10u : 18u) << groups;
  }
}

TEST_P(StoresWithoutAFence, ArriveAtOnceWithoutTheChecker) {
  EXPECT_EQ(orders_that_show("ticket_without_fence", tickets(12), 12, false), 0u);
}

using StoresInOrder = LateStores;
INSTANTIATE_TEST_SUITE_P(Compiled, StoresInOrder, ::testing::ValuesIn(kAll), kName);

TEST_P(StoresInOrder, AreNeverMissed) {
  for (const uint32_t groups : {4u, 12u, kMostGroups}) {
    EXPECT_EQ(orders_that_show("ticket_behind_data", tickets(groups), groups), 0u);
    EXPECT_EQ(orders_that_show("flag_behind_data", scan(), groups), 0u);
    EXPECT_EQ(orders_that_show("ticket_behind_barrier", tickets(groups), groups), 0u);
  }
  EXPECT_EQ(out[1], [&] {
    uint32_t sum = 0;
    for (uint32_t group = 0; group < kMostGroups; ++group) sum += in[group * kStoringItems + 1];
    return sum;
  }());
}

TEST_P(StoresInOrder, StayInOrderAtOnePlace) {
  EXPECT_EQ(orders_that_show("one_place_after_another", Arguments(shared.address(), out.address()), 16), 0u);
  EXPECT_EQ(shared[3], 8u);
  EXPECT_EQ(out[3], 8u + 3u);
}

TEST_P(StoresInOrder, ArriveWithoutAWait) {
  const Arguments arguments(flags.address(), out.address(), kMostGroups);
  EXPECT_EQ(orders_that_show("meet_without_waiting", arguments, kMostGroups), 0u);
  EXPECT_LT(instructions, 2'000'000u) << "waiting is to cost little";
}

TEST_P(StoresInOrder, RepeatInEveryRun) {
  const auto executed = [&](uint64_t seed) {
    run("flag_without_fence", scan(), 12, {.seed = seed, .adverse = {.wave_instructions = 1 << 24, .races = true}});
    std::vector<uint64_t> result(shared.begin(), shared.end());
    result.push_back(instructions);
    return result;
  };
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) EXPECT_EQ(executed(seed), executed(seed)) << seed;
}

}  // namespace
}  // namespace kernloop::softgpu::testing
