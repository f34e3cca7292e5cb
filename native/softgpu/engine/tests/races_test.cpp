// Races are found in any order of waves, and kernels that share memory correctly have no findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "softgpu/engine/tests/program.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kRacingItems = 128, kRacingGroups = 12;

struct Code {
  const char* name;
  const char* file;
  Isa isa;
  friend void PrintTo(const Code& code, std::ostream* out) { *out << code.name; }
};

struct Order {
  const char* name;
  DispatchOptions options;
};

const Order kOrders[] = {
    {"usual", {.threads = 1, .checks = {.races = true}}},
    {"seeded", {.seed = 5, .checks = {.races = true}}},
    {"adverse", {.seed = 1, .adverse = {.wave_instructions = 1 << 24, .races = true}}},
    {"other adverse", {.seed = 2, .adverse = {.wave_instructions = 1 << 24, .races = true}}},
};

class Races : public ::testing::TestWithParam<Code> {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/" + GetParam().file, GetParam().isa};
  Array<uint32_t> in{device.space, kRacingItems*kRacingGroups, "in"},
      out{device.space, kRacingItems*kRacingGroups, "out"}, shared{device.space, kRacingItems*kRacingGroups, "shared"},
      counters{device.space, 64, "counters"};

  Races() { std::iota(in.begin(), in.end(), 1u); }

  std::vector<Fault> findings(const std::string& kernel, const Arguments& arguments, const DispatchOptions& options) {
    for (Array<uint32_t>* array : {&out, &shared, &counters}) std::fill(array->begin(), array->end(), 0u);
    DispatchOptions limited = options;
    limited.max_wave_instructions = 20'000'000;
    const DispatchOutcome outcome =
        device.run(kernel, linear(kRacingItems * kRacingGroups, kRacingItems), arguments, limited);
    EXPECT_FALSE(outcome.fault) << kernel << ": " << outcome.fault->text();
    return outcome.findings;
  }
  void expect_race(const std::string& kernel, const Arguments& arguments, bool in_lds, const Buffer* where = nullptr) {
    for (const Order& order : kOrders) {
      const std::vector<Fault> found = findings(kernel, arguments, order.options);
      EXPECT_FALSE(found.empty()) << kernel << ", " << order.name;
      for (const Fault& race : found) {
        EXPECT_EQ(race.kind, Fault::Kind::kRace) << race.text();
        EXPECT_EQ(race.in_lds, in_lds) << race.text();
        ASSERT_TRUE(race.other) << race.text();
        EXPECT_TRUE(race.is_write || race.other->is_write) << race.text();
        EXPECT_FALSE(race.other->instruction.empty());
        if (where) {
          EXPECT_LT(race.address - where->address(), where->size()) << race.text();
        }
      }
    }
  }
  void expect_clean(const std::string& kernel, const Arguments& arguments) {
    for (const Order& order : kOrders) {
      const std::vector<Fault> found = findings(kernel, arguments, order.options);
      EXPECT_TRUE(found.empty()) << kernel << ", " << order.name << ": " << found.front().text();
    }
  }
  void expect_clean_in_many_orders(const std::map<std::string, Arguments>& kernels) {
    for (const auto& [kernel, arguments] : kernels) {
      expect_clean(kernel, arguments);
      for (uint64_t seed = 1; seed <= 40; ++seed) {
        for (const unsigned threads : {1, 2}) {
          const auto found =
              findings(kernel, arguments,
                       {.seed = seed, .threads = threads, .adverse = {.wave_instructions = 1 << 24, .races = true}});
          EXPECT_TRUE(found.empty()) << kernel << ", seed " << seed << ": " << found.front().text();
        }
      }
    }
  }
  uint32_t sum_of_input() { return std::accumulate(in.begin(), in.end(), 0u); }
};

INSTANTIATE_TEST_SUITE_P(Compiled, Races,
                         ::testing::Values(Code{"gfx90aO0", "races_gfx90a_O0.hsaco", Isa::kGfx90a},
                                           Code{"gfx90aO3", "races_gfx90a_O3.hsaco", Isa::kGfx90a},
                                           Code{"gfx1030O0", "races_gfx1030_O0.hsaco", Isa::kGfx1030},
                                           Code{"gfx1030O3", "races_gfx1030_O3.hsaco", Isa::kGfx1030},
                                           Code{"gfx942O0", "races_gfx942_O0.hsaco", Isa::kGfx942},
                                           Code{"gfx942O3", "races_gfx942_O3.hsaco", Isa::kGfx942},
                                           Code{"gfx1100O0", "races_gfx1100_O0.hsaco", Isa::kGfx1100},
                                           Code{"gfx1100O3", "races_gfx1100_O3.hsaco", Isa::kGfx1100}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Races, AnUpdateLostBetweenWorkgroups) {
  expect_race("lose_update", Arguments(in.address(), out.address()), false, &out);
}

TEST_P(Races, AnUpdateLostBetweenWavesInLds) {
  expect_race("lose_update_in_lds", Arguments(in.address(), out.address()), true);
}

// Both waves add the same to the same: they store one value, too.
TEST_P(Races, AnUpdateOfTheSameLostBetweenWavesInLds) {
  std::fill(in.begin(), in.end(), 4u);
  expect_race("lose_update_in_lds", Arguments(in.address(), out.address()), true);
}

TEST_P(Races, AFlagThatIsNotAtomic) {
  expect_race("plain_flag", Arguments(shared.address(), out.address(), kRacingGroups), false, &shared);
}

TEST_P(Races, AReadOfWhatAnotherWorkgroupWrites) {
  const Arguments arguments(in.address(), out.address(), kRacingItems * kRacingGroups);
  for (const char* kernel : {"read_neighbour", "read_neighbour_once"}) expect_race(kernel, arguments, false, &out);
}

TEST_P(Races, StoresOfDifferentValues) {
  expect_race("last_one_wins", Arguments(out.address()), false, &out);
  expect_race("last_one_wins_by_all", Arguments(out.address()), false, &out);
}

TEST_P(Races, ATileWrittenAgainBeforeAllHaveReadIt) {
  expect_race("tile_loop_without_barrier", Arguments(in.address(), out.address(), 4u), true);
  const auto one_tile =
      findings("tile_loop_without_barrier", Arguments(in.address(), out.address(), 1u), kOrders[2].options);
  EXPECT_TRUE(one_tile.empty()) << one_tile.front().text();
}

TEST_P(Races, ASearchOfWhatOthersMayNotHaveWrittenYet) {
  expect_race("search_without_barrier", Arguments(in.address(), out.address()), true);
}

TEST_P(Races, ALoopInWhichOneLaneLooksAtTheSamePlace) {
  expect_race("strides_without_barrier", Arguments(in.address(), out.address()), true);
}

TEST_P(Races, ALoopThatEndsByWhatItsNextRoundWrites) {
  expect_race("rounds_with_one_barrier", Arguments(in.address(), out.address()), true);
}

TEST_P(Races, AFlagInLdsThatIsSetTooEarlyOrWaitedForByNobody) {
  for (const char* kernel : {"flag_before_data_in_lds", "flag_that_nobody_waits_for"})
    expect_race(kernel, Arguments(in.address(), out.address()), true);
}

TEST_P(Races, AReductionByTheWrongWorkgroup) {
  expect_race("sum_by_last_but_one",
              Arguments(in.address(), shared.address(), counters.address(), out.address(), kRacingGroups), false,
              &shared);
}

// In the adverse order, which observes waits. Unoptimised code for gfx90a and gfx942 waits in between, for an address
// that it loads; on gfx1030 and gfx1100 loads have a counter of their own.
TEST_P(Races, WhatIsPublishedBeforeItHasBeenWaitedFor) {
  const std::map<std::string, Arguments> kernels = {
      {"sum_by_last_without_fence",
       Arguments(in.address(), shared.address(), counters.address(), out.address(), kRacingGroups)},
      {"hand_on_without_fence", Arguments(in.address(), counters.address(), shared.address(), out.address())},
  };
  const std::string name = GetParam().name;
  const bool waits_anyway = name == "gfx90aO0" || name == "gfx942O0";
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto& [kernel, arguments] : kernels) {
      const auto found =
          findings(kernel, arguments, {.seed = seed, .adverse = {.wave_instructions = 1 << 24, .races = true}});
      EXPECT_EQ(found.empty(), waits_anyway) << kernel << ", seed " << seed;
      for (const Fault& race : found) EXPECT_LT(race.address - shared.address(), shared.size()) << race.text();
    }
  }
}

TEST_P(Races, NoneOfAValueThatIsItsOwnFlag) {
  expect_clean("value_is_its_own_flag", Arguments(counters.address(), out.address()));
}

// In the scope of a workgroup, gfx1030's loads pass the cache of their compute unit, and gfx1100's pass both (LLVM,
// AMDGPUUsage, "Memory Model").
TEST_P(Races, AWaitThatACacheMayAnswerForEver) {
  const char* const of_plain =
      is_rdna(GetParam().isa) ? "L0 cache of the compute unit" : "vector L1 cache of the compute unit";
  const char* const of_group_scope = GetParam().isa == Isa::kGfx1030   ? "L1 cache of the shader array"
                                     : GetParam().isa == Isa::kGfx1100 ? nullptr
                                                                       : of_plain;
  std::map<std::string, const char*> kernels = {{"wait_asleep", of_plain},
                                                {"wait_in_group_scope", of_group_scope},
                                                {"wait_by_acquire_in_group_scope", of_group_scope}};
  // Without optimisation the addresses of these go through lanes of a spilled register, which wait_loops.h does not
  // follow.
  if (GetParam().name == std::string("gfx942O0")) {
    kernels.erase("wait_in_group_scope");
    kernels.erase("wait_by_acquire_in_group_scope");
  }
  const Arguments arguments(counters.address(), out.address(), kRacingGroups);
  for (const auto& [kernel, cache] : kernels) {
    if (!cache) {
      expect_clean(kernel, arguments);
      continue;
    }
    for (const Order& order : kOrders) {
      const std::vector<Fault> found = findings(kernel, arguments, order.options);
      ASSERT_EQ(found.size(), 1u) << kernel << ", " << order.name;
      EXPECT_EQ(found.front().stale_cache, cache) << found.front().text();
      EXPECT_FALSE(found.front().is_write) << found.front().text();
      ASSERT_TRUE(found.front().other && found.front().other->is_write) << found.front().text();
      EXPECT_NE(found.front().text().find("may find the value before it for ever"), std::string::npos);
    }
  }
}

TEST_P(Races, NoneWhereEachLookPassesTheCaches) {
  const Arguments arguments(counters.address(), out.address(), kRacingGroups);
  expect_clean_in_many_orders({{"wait_in_device_scope", arguments},
                               {"wait_by_acquire_in_device_scope", arguments},
                               {"wait_volatile", arguments},
                               {"wait_with_fences", arguments}});
}

TEST_P(Races, NameBothAccesses) {
  const auto found = findings("last_one_wins", Arguments(out.address()), kOrders[0].options);
  ASSERT_EQ(found.size(), 1u);
  const Fault& race = found.front();
  EXPECT_EQ(race.address, out.address());
  EXPECT_EQ(race.bytes, 4u);
  EXPECT_TRUE(race.is_write && race.other->is_write);
  EXPECT_EQ(race.pc, race.other->pc);
  EXPECT_EQ(race.workgroup[0], 1u);
  EXPECT_EQ(race.other->workgroup[0], 0u);
  EXPECT_NE(race.other->instruction.find("store"), std::string::npos) << race.other->instruction;
  EXPECT_NE(race.text().find("wave 0 of workgroup (0, 0, 0) wrote byte 0x"), std::string::npos) << race.text();
  EXPECT_NE(race.text().find("nothing orders the two"), std::string::npos) << race.text();
}

TEST_P(Races, NoneWhereTheLastWorkgroupSumsUp) {
  expect_clean("last_group_sums",
               Arguments(in.address(), shared.address(), counters.address(), out.address(), kRacingGroups));
  EXPECT_EQ(out[0], sum_of_input());
}

TEST_P(Races, NoneWhereAllStoreTheSameValue) {
  expect_clean("same_value", Arguments(in.address(), counters.address(), out.address()));
  EXPECT_EQ(counters[0], 1u);
  expect_clean("same_value_for_all", Arguments(in.address(), out.address()));
}

TEST_P(Races, NoneUnderALock) {
  for (const char* kernel : {"lock_by_exchange", "lock_by_store"}) {
    expect_clean(kernel, Arguments(in.address(), counters.address(), out.address()));
    EXPECT_EQ(out[0], sum_of_input()) << kernel;
  }
}

TEST_P(Races, NoneBetweenAtomics) {
  expect_clean("histograms", Arguments(in.address(), counters.address()));
  EXPECT_EQ(std::accumulate(counters.begin(), counters.end(), 0u), kRacingItems * kRacingGroups);
  expect_clean("add_by_compare_and_swap", Arguments(in.address(), counters.address()));
  EXPECT_EQ(counters[0], sum_of_input());
}

TEST_P(Races, NoneInAScanThatLooksBack) {
  expect_clean("look_back", Arguments(in.address(), counters.address(), shared.address(), out.address()));
  EXPECT_EQ(out[kRacingItems * (kRacingGroups - 1)],
            std::accumulate(in.begin(), in.begin() + kRacingItems * (kRacingGroups - 1), 0u) +
                in[kRacingItems * (kRacingGroups - 1)]);
}

TEST_P(Races, NoneWhereAWaveWaitsForAnotherInLds) {
  expect_clean("hand_over_in_lds", Arguments(in.address(), out.address()));
  EXPECT_EQ(out[70], in[70] + 1);
}

// The order decides whether the first look finds the awaited value, or a later one.
TEST_P(Races, NoneWhereFlagsInLdsAreReleasedAndAcquired) {
  const std::map<std::string, Arguments> kernels = {
      {"release_in_lds", Arguments(in.address(), out.address())},
      {"ordered_in_lds", Arguments(in.address(), out.address())},
      {"volatile_in_lds", Arguments(in.address(), out.address())},
      {"turns_in_lds", Arguments(in.address(), out.address())},
      {"two_flags_in_lds", Arguments(in.address(), out.address())},
      {"lock_in_lds", Arguments(in.address(), out.address())},
      {"release_to_the_workgroup", Arguments(in.address(), counters.address(), shared.address(), out.address())},
  };
  expect_clean_in_many_orders(kernels);
}

// A count raised by atomics: a wave that sees all arrivals, by a look or by its own atomic, comes behind all of them.
TEST_P(Races, NoneWhereArrivalsAreCountedInLds) {
  const Arguments arguments(in.address(), out.address());
  expect_clean_in_many_orders({{"arrivals_in_lds", arguments},
                               {"arrivals_asleep", arguments},
                               {"last_arrival_in_lds", arguments},
                               {"generations_in_lds", arguments}});
}

TEST_P(Races, AnArrivalThatIsCountedTooEarly) {
  expect_race("arrivals_before_values", Arguments(in.address(), out.address()), true);
}

TEST_P(Races, ALookInFrontOfALoopThatWaitsElsewhere) {
  expect_race("look_elsewhere_before_waiting", Arguments(in.address(), out.address()), true);
}

TEST_P(Races, NoneOfBytesBesideEachOther) {
  for (const Order& order : kOrders) {
    const DispatchOutcome outcome = device.run("bytes_beside_each_other", linear(kRacingItems, kRacingItems),
                                               Arguments(out.address()), order.options);
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    EXPECT_TRUE(outcome.findings.empty()) << outcome.findings.front().text();
  }
}

TEST_P(Races, NoneAcrossABarrierOfTheGrid) {
  expect_clean("claim_and_meet",
               Arguments(counters.address(), counters.address() + 128, shared.address(), out.address(), kRacingGroups));
  EXPECT_EQ(out[3], 4u);
}

// Ordered accesses are ordered by a chain of what waves have seen of each other: a gap in it shows in some orders only.
TEST_P(Races, NoneInManyOrders) {
  const std::map<std::string, Arguments> kernels = {
      {"last_group_sums", Arguments(in.address(), shared.address(), counters.address(), out.address(), kRacingGroups)},
      {"lock_by_exchange", Arguments(in.address(), counters.address(), out.address())},
      {"lock_by_store", Arguments(in.address(), counters.address(), out.address())},
      {"look_back", Arguments(in.address(), counters.address(), shared.address(), out.address())},
      {"hand_over_in_lds", Arguments(in.address(), out.address())},
      {"value_is_its_own_flag", Arguments(counters.address(), out.address())},
      {"claim_and_meet",
       Arguments(counters.address(), counters.address() + 128, shared.address(), out.address(), kRacingGroups)},
  };
  for (uint64_t seed = 10; seed < 40; ++seed) {
    for (const auto& [kernel, arguments] : kernels) {
      const auto found =
          findings(kernel, arguments, {.seed = seed, .adverse = {.wave_instructions = 1 << 24, .races = true}});
      EXPECT_TRUE(found.empty()) << kernel << ", seed " << seed << ": " << found.front().text();
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
