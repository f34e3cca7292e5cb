// Global wave sync: the barrier under cooperative launches.
#include <gtest/gtest.h>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kGroups = 70, kRounds = 5;

class GridBarrier : public ::testing::TestWithParam<const char*> {
 protected:
  DispatchOutcome set(uint32_t waves) { return device.run("set_grid_barrier", linear(1, 1), Arguments(waves)); }
  DispatchOutcome meet(Array<uint32_t>& data, const DispatchOptions& options) {
    return device.run("meet_at_grid_barrier", linear(kGroups * 96, 96), Arguments(data.address(), kGroups, kRounds),
                      options);
  }
  Device device{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Optimised, GridBarrier,
                         ::testing::Values(KERNLOOP_TEST_PROGRAMS_O0, KERNLOOP_TEST_PROGRAMS_O3),
                         [](const auto& info) { return info.index == 0 ? "O0" : "O3"; });

TEST_P(GridBarrier, HoldsEveryWorkgroupUntilAllHaveArrivedRoundAfterRound) {
  ASSERT_FALSE(set(kGroups).fault);
  for (unsigned threads : {1u, 3u}) {  // the barrier sets itself again: one ds_gws_init is enough
    Array<uint32_t> data(device.space, kGroups);
    std::vector<uint32_t> expected(kGroups);
    for (uint32_t i = 0; i < kGroups; ++i) expected[i] = data[i] = i * i + 1;
    for (uint32_t round = 0; round < kRounds; ++round) {
      const auto before = expected;
      for (uint32_t i = 0; i < kGroups; ++i) expected[i] = before[i] * 3 + before[(i + round + 1) % kGroups];
    }
    const DispatchOutcome outcome = meet(data, {.seed = threads, .threads = threads});
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    for (uint32_t i = 0; i < kGroups; ++i) EXPECT_EQ(data[i], expected[i]) << i;
  }
}

TEST_P(GridBarrier, WaitingExecutesNothingSoCountsRepeat) {
  uint64_t executed = 0;
  for (unsigned threads : {1u, 2u, 3u}) {
    ASSERT_FALSE(set(kGroups).fault);
    Array<uint32_t> data(device.space, kGroups);
    const DispatchOutcome outcome = meet(data, {.threads = threads});
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    if (executed == 0) executed = outcome.counters.wave_instructions;
    EXPECT_EQ(outcome.counters.wave_instructions, executed);
  }
}

TEST_P(GridBarrier, OneThatNothingHasSetIsAFault) {
  Array<uint32_t> data(device.space, kGroups);
  const DispatchOutcome outcome = meet(data, {});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kUnsupportedInstruction);
  EXPECT_NE(outcome.fault->text().find("cooperative launch"), std::string::npos) << outcome.fault->text();
}

TEST_P(GridBarrier, WaitingForAWorkgroupThatDoesNotExistEndsAtTheInstructionLimit) {
  ASSERT_FALSE(set(kGroups + 1).fault);
  Array<uint32_t> data(device.space, kGroups);
  const DispatchOutcome outcome = meet(data, {.max_wave_instructions = 1'000'000, .threads = 2});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kInstructionLimit);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
