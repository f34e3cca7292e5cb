// The adverse order shows errors that the usual one hides, repeats, and runs every kernel to its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kItems = 128;

// Without the checker, so that only memory tells.
DispatchOptions adverse(uint64_t seed, unsigned threads = 1) {
  return {
      .max_wave_instructions = 50'000'000, .seed = seed, .threads = threads, .adverse = {.wave_instructions = 1 << 24}};
}

class AdverseOrders : public ::testing::Test {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/races_gfx90a_O3.hsaco"};
  Array<uint32_t> in{device.space, kItems * 64, "in"}, out{device.space, kItems * 64, "out"},
      shared{device.space, kItems * 64, "shared"}, counters{device.space, 64, "counters"};

  AdverseOrders() { std::iota(in.begin(), in.end(), 1u); }

  DispatchOutcome run(const std::string& kernel, const Arguments& arguments, uint32_t groups,
                      const DispatchOptions& options) {
    for (Array<uint32_t>* array : {&out, &shared, &counters}) std::fill(array->begin(), array->end(), 0u);
    DispatchOutcome outcome = device.run(kernel, linear(kItems * groups, kItems), arguments, options);
    EXPECT_FALSE(outcome.fault) << kernel << ": " << outcome.fault->text();
    return outcome;
  }
  // Number of the 20 orders in which the kernel leaves another result in `out` than in the usual one.
  unsigned orders_that_show(const std::string& kernel, const Arguments& arguments, uint32_t groups) {
    run(kernel, arguments, groups, {.threads = 1});
    const std::vector<uint32_t> usual(out.begin(), out.end());
    unsigned shown = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      run(kernel, arguments, groups, adverse(seed));
      shown += !std::equal(usual.begin(), usual.end(), out.begin());
    }
    return shown;
  }
};

TEST_F(AdverseOrders, ShowUpdatesThatAreLostBetweenWorkgroups) {
  EXPECT_GE(orders_that_show("lose_update", Arguments(in.address(), out.address()), 8), 8u);
  EXPECT_GE(orders_that_show("lose_update", Arguments(in.address(), out.address()), 64), 19u);
}

// Without a race, and with only two waves: every order must show it.
TEST_F(AdverseOrders, ShowUpdatesThatAreLostBetweenTwoAtomicAccesses) {
  for (const char* const kernel :
       {"merge_by_load_and_store", "merge_by_volatile", "merge_by_exchange", "merge_by_one_try"}) {
    for (const uint32_t groups : {2, 4, 64})
      EXPECT_EQ(orders_that_show(kernel, Arguments(in.address(), out.address()), groups), 20u)
          << kernel << " of " << groups;
  }
  // The wave that has set it is kept, and gets in alone, though not in every order.
  for (const uint32_t groups : {4, 64})
    EXPECT_GE(orders_that_show("lock_looked_at", Arguments(in.address(), counters.address(), out.address()), groups),
              groups == 4 ? 14u : 20u);
}

TEST_F(AdverseOrders, ShowUpdatesThatAreLostBetweenWaves) {
  std::fill(in.begin(), in.end(), 4u);
  EXPECT_GE(orders_that_show("lose_update_in_lds", Arguments(in.address(), out.address()), 8), 16u);
}

TEST_F(AdverseOrders, ShowATileThatIsWrittenAgainTooEarly) {
  EXPECT_GE(orders_that_show("tile_loop_without_barrier", Arguments(in.address(), out.address(), 8u), 8), 16u);
}

TEST_F(AdverseOrders, ChangeNothingForKernelsWithoutARace) {
  const auto never_shows = [&](const std::string& kernel, const Arguments& arguments) {
    EXPECT_EQ(orders_that_show(kernel, arguments, 12), 0u) << kernel;
  };
  never_shows("last_group_sums", Arguments(in.address(), shared.address(), counters.address(), out.address(), 12u));
  never_shows("lock_by_store", Arguments(in.address(), counters.address(), out.address()));
  never_shows("look_back", Arguments(in.address(), counters.address(), shared.address(), out.address()));
  never_shows("merge_by_tries", Arguments(in.address(), out.address()));
  never_shows("hand_over_in_lds", Arguments(in.address(), out.address()));
}

TEST_F(AdverseOrders, RepeatWhateverTheThreads) {
  const auto left = [&](uint64_t seed, unsigned threads) {
    run("lose_update", Arguments(in.address(), out.address()), 16, adverse(seed, threads));
    return out[0];
  };
  std::set<uint32_t> results;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const uint32_t first = left(seed, 1);
    EXPECT_EQ(left(seed, 1), first);
    EXPECT_EQ(left(seed, 3), first);
    results.insert(first);
  }
  EXPECT_GT(results.size(), 2u);
}

TEST_F(AdverseOrders, ExecuteWhatTheUsualOneExecutes) {
  const Arguments arguments(in.address(), counters.address());
  const DispatchOutcome usual = run("histograms", arguments, 64, {.threads = 1});
  const DispatchOutcome all = run("histograms", arguments, 64, adverse(3));
  EXPECT_EQ(all.counters, usual.counters);
  EXPECT_EQ(all.adverse_wave_instructions, usual.counters.wave_instructions);
}

TEST_F(AdverseOrders, GoOnAsUsualOnceEnoughHasRun) {
  DispatchOptions some = adverse(3, 2);
  some.adverse = {.wave_instructions = 500, .races = true};
  const DispatchOutcome outcome = run("histograms", Arguments(in.address(), counters.address()), 64, some);
  EXPECT_GE(outcome.adverse_wave_instructions, 500u);
  EXPECT_LT(outcome.adverse_wave_instructions, outcome.counters.wave_instructions);
  EXPECT_EQ(std::accumulate(counters.begin(), counters.end(), 0u), kItems * 64);
  EXPECT_EQ(outcome.counters.workgroups, 64u);
}

// A losing wave starts again: more waves take longer.
TEST_F(AdverseOrders, GetAheadWhereAllCompareAndSwapAtOnePlace) {
  const Arguments arguments(in.address(), out.address());
  const uint64_t usual = run("all_compare_and_swap", arguments, 64, {.threads = 1}).counters.wave_instructions;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const DispatchOutcome outcome = run("all_compare_and_swap", arguments, 64, adverse(seed));
    EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 0u));
    EXPECT_LT(outcome.counters.wave_instructions, 4 * usual);
    // The adverse order stays within a replay's limit.
    DispatchOptions limited = adverse(seed);
    limited.max_wave_instructions = 3 * usual;
    run("all_compare_and_swap", arguments, 64, limited);
    EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 0u));
  }
}

TEST_F(AdverseOrders, EndAtTheInstructionLimit) {
  DispatchOptions options = adverse(1);
  options.max_wave_instructions = 100;
  const DispatchOutcome outcome =
      device.run("histograms", linear(kItems * 64, kItems), Arguments(in.address(), counters.address()), options);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kInstructionLimit);
}

TEST_F(AdverseOrders, LanesOfOneAtomicComeInTheOrderOfTheSeed) {
  const auto order = [&](const DispatchOptions& options) {
    run("number_lanes", Arguments(counters.address(), out.address()), 1, options);
    return std::vector<uint32_t>(out.begin(), out.begin() + 64);
  };
  const std::vector<uint32_t> ascending = order({.threads = 1});
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
  const std::vector<uint32_t> one = order({.seed = 1, .threads = 1}), two = order({.seed = 2, .threads = 1});
  EXPECT_FALSE(std::is_sorted(one.begin(), one.end()));
  EXPECT_NE(one, two);
  EXPECT_EQ(one, order({.seed = 1, .threads = 1}));
  EXPECT_EQ(counters[0], kItems * (kItems + 1) / 2);
}

// Kernels that wait for each other: for all, for the previous one, for a later one.
class AdverseWaiting : public ::testing::TestWithParam<const char*> {
 protected:
  Device device{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Optimised, AdverseWaiting,
                         ::testing::Values(KERNLOOP_TEST_PROGRAMS_O0, KERNLOOP_TEST_PROGRAMS_O3),
                         [](const auto& info) { return info.index == 0 ? "O0" : "O3"; });

TEST_P(AdverseWaiting, ForEveryOtherWorkgroup) {
  constexpr uint32_t groups = 150, rounds = 3;
  for (uint64_t seed : {1, 2}) {
    Array<uint32_t> arrived(device.space, 1), log(device.space, groups);
    DispatchOptions options = adverse(seed);
    options.adverse.races = true;
    const DispatchOutcome outcome = device.run("grid_barrier", linear(groups * 128, 128),
                                               Arguments(arrived.address(), log.address(), groups, rounds), options);
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    EXPECT_TRUE(outcome.findings.empty()) << outcome.findings.front().text();
    EXPECT_EQ(arrived[0], groups * rounds);
    EXPECT_LT(outcome.counters.wave_instructions, 2'000'000u) << "waiting is to cost little";
  }
}

TEST_P(AdverseWaiting, ForAWorkgroupThatComesLater) {
  for (const uint32_t pairs : {0u, 1u}) {
    constexpr uint32_t kGroups = 64;
    Array<uint32_t> done(device.space, kGroups);
    const DispatchOutcome outcome = device.run("wait_for_neighbour", linear(kGroups * 64, 64),
                                               Arguments(done.address(), kGroups, pairs), adverse(4));
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    for (uint32_t group = 0; group < kGroups; ++group) EXPECT_EQ(done[group], 1u);
  }
}

TEST_P(AdverseWaiting, AtABarrierOfTheGrid) {
  constexpr uint32_t kGroups = 70, kRounds = 5;
  ASSERT_FALSE(device.run("set_grid_barrier", linear(1, 1), Arguments(kGroups)).fault);
  Array<uint32_t> data(device.space, kGroups);
  std::vector<uint32_t> expected(kGroups);
  for (uint32_t i = 0; i < kGroups; ++i) expected[i] = data[i] = i * i + 1;
  for (uint32_t round = 0; round < kRounds; ++round) {
    const auto before = expected;
    for (uint32_t i = 0; i < kGroups; ++i) expected[i] = before[i] * 3 + before[(i + round + 1) % kGroups];
  }
  DispatchOptions options = adverse(7);
  options.adverse.races = true;
  const DispatchOutcome outcome = device.run("meet_at_grid_barrier", linear(kGroups * 96, 96),
                                             Arguments(data.address(), kGroups, kRounds), options);
  ASSERT_FALSE(outcome.fault) << outcome.fault->text();
  EXPECT_TRUE(outcome.findings.empty()) << outcome.findings.front().text();
  for (uint32_t i = 0; i < kGroups; ++i) EXPECT_EQ(data[i], expected[i]) << i;
}

TEST_P(AdverseWaiting, ForEverEndsAtTheInstructionLimit) {
  Array<uint32_t> flag(device.space, 1), out(device.space, 1);
  for (const char* waiter : {"wait_for_flag", "wait_asleep"}) {
    DispatchOptions options = adverse(1);
    options.max_wave_instructions = 100'000;
    const DispatchOutcome outcome =
        device.run(waiter, linear(64, 64), Arguments(flag.address(), out.address()), options);
    ASSERT_TRUE(outcome.fault) << waiter;
    EXPECT_EQ(outcome.fault->kind, Fault::Kind::kInstructionLimit);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
