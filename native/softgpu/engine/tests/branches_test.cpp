// Counts of branches, on each target, for every number of lanes that go one way (kernels/branches.s).
#include <gtest/gtest.h>

#include "softgpu/engine/tests/targets.h"

namespace kernloop::softgpu::testing {
namespace {

class Branches : public ::testing::TestWithParam<TargetCase> {
 protected:
  unsigned lanes() const { return GetParam().lanes; }

  // Calls check(k, counters) for a wave of which k lanes go one way.
  template <typename Check>
  void for_each_share(const char* kernel, Check&& check) {
    for (uint32_t k = 0; k <= lanes(); ++k) {
      SCOPED_TRACE(std::string(kernel) + ", " + std::to_string(k) + " lanes");
      const DispatchOutcome outcome =
          device.run(kernel, linear(lanes(), lanes()), Arguments(k), DispatchOptions{.profile = &profile});
      ASSERT_FALSE(outcome.fault) << outcome.fault->text();
      check(k, outcome.counters);
    }
  }
  // The conditional branches that a wave came to, in the order of the code.
  std::vector<PcCounts> branches() const {
    std::vector<PcCounts> found;
    for (const auto& [address, pc] : profile)
      if (pc.is_conditional_branch) found.push_back(pc.counts);
    return found;
  }

  Device device{code_for("branches", GetParam()), GetParam().isa};
  KernelProfile profile;
};

TEST_P(Branches, OfWhichBothSidesAreTakenSplitTheWaveOnce) {
  for_each_share("if_else", [&](uint32_t k, const Counters& c) {
    const bool splits = k > 0 && k < lanes();
    EXPECT_EQ(c.divergent_branches, splits ? 1u : 0u);
    EXPECT_EQ(c.valu_lanes, lanes() + k + 2 * (lanes() - k));
    EXPECT_EQ(c.conditional_branches, 2u);
    EXPECT_EQ(c.branches_taken, splits ? 0u : 1u);
    const std::vector<PcCounts> both = branches();
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].split_before, splits ? 1u : 0u);
    EXPECT_EQ(both[0].taken, k == 0 ? 1u : 0u);
    EXPECT_EQ(both[1].split_before, 0u) << "the others take over: nobody is split off";
    EXPECT_EQ(both[1].taken, k == lanes() ? 1u : 0u);
  });
}

TEST_P(Branches, ThatSomeLanesDoNotSurviveSplitTheWave) {
  for_each_share("leave_early", [&](uint32_t k, const Counters& c) {
    const bool splits = k > 0 && k < lanes();
    EXPECT_EQ(c.divergent_branches, splits ? 1u : 0u);
    EXPECT_EQ(c.valu_lanes, lanes() + k);
    const std::vector<PcCounts> only = branches();
    ASSERT_EQ(only.size(), 1u);
    EXPECT_EQ(only[0].split_before, splits ? 1u : 0u);
    EXPECT_EQ(only[0].taken, k == 0 ? 1u : 0u);
  });
}

TEST_P(Branches, AreNotWhatAddsAllLanesForAWhile) {
  for_each_share("all_lanes_for_a_while", [&](uint32_t k, const Counters& c) {
    EXPECT_EQ(c.divergent_branches, k > 0 && k < lanes() ? 1u : 0u) << "the lanes that come back are no split";
    EXPECT_EQ(c.valu_lanes, 2 * lanes() + k);
  });
}

TEST_P(Branches, OfTheWholeWaveSplitNothing) {
  for_each_share("vote", [&](uint32_t k, const Counters& c) {
    EXPECT_EQ(c.divergent_branches, 0u);
    EXPECT_EQ(c.branches_taken, k == 0 ? 1u : 0u);
    EXPECT_EQ(c.valu_lanes, k == 0 ? lanes() : 2 * lanes());
    EXPECT_EQ(branches().at(0).split_before, 0u);
  });
}

INSTANTIATE_TEST_SUITE_P(Targets, Branches, ::testing::ValuesIn(kTargetCases), name_of_target);

}  // namespace
}  // namespace kernloop::softgpu::testing
