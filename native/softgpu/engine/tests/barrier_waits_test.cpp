// A barrier orders its waves' stores only if they waited for them before they came to the barrier: found in the adverse
// order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

struct BarrierCode {
  const char* name;
  Isa isa;
  bool is_cdna;
  friend void PrintTo(const BarrierCode& code, std::ostream* out) { *out << code.name; }
};

constexpr uint32_t kMeetingItems = 128, kMeetingGroups = 3;

class BarrierWaits : public ::testing::TestWithParam<BarrierCode> {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/barriers_" + GetParam().name + ".hsaco", GetParam().isa};
  Array<uint32_t> data{device.space, kMeetingItems, "data"};

  std::vector<Fault> findings(const std::string& kernel, uint32_t groups, const DispatchOptions& options) {
    std::fill(data.begin(), data.end(), 77u);
    const DispatchOutcome outcome =
        device.run(kernel, linear(kMeetingItems * groups, kMeetingItems), Arguments(data.address()), options);
    EXPECT_FALSE(outcome.fault) << kernel << ": " << outcome.fault->text();
    return outcome.findings;
  }
  static DispatchOptions adverse(uint64_t seed, bool is_checked = false) {
    return {.seed = seed, .checks = {.races = is_checked}, .adverse = {.wave_instructions = 1 << 20, .races = true}};
  }
  void expect_missing(const std::string& kernel, const std::string& wait, bool in_lds) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const std::vector<Fault> found = findings(kernel, 1, adverse(seed, seed % 2 == 0));
      ASSERT_EQ(found.size(), 1u) << kernel << ", seed " << seed;
      const Fault& race = found.front();
      EXPECT_EQ(race.kind, Fault::Kind::kRace);
      EXPECT_EQ(race.in_lds, in_lds) << race.text();
      EXPECT_EQ(race.missing_wait, wait) << race.text();
      ASSERT_TRUE(race.other) << race.text();
      EXPECT_TRUE(race.other->is_write) << race.text();
      EXPECT_GT(race.pc, race.other->pc) << race.text();
    }
  }
  void expect_clean(const std::string& kernel, uint32_t groups = kMeetingGroups) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const std::vector<Fault> found = findings(kernel, groups, adverse(seed, seed % 2 == 0));
      EXPECT_TRUE(found.empty()) << kernel << ", seed " << seed << ": " << found.front().text();
    }
  }
};

TEST_P(BarrierWaits, AreMissingBehindStoresToLds) {
  for (const char* kernel : {"no_wait", "wait_for_another_counter", "wait_for_the_one_before",
                             "wait_behind_the_barrier", "atomic_no_wait", "flat_no_wait", "written_over"})
    expect_missing(kernel, "s_waitcnt lgkmcnt(0)", true);
}

TEST_P(BarrierWaits, OrderWhatTheyWaitedFor) {
  for (const char* kernel : {"waited", "waited_in_order", "waited_behind_a_swizzle", "waited_before_the_next_barrier",
                             "atomic_waited", "flat_waited", "loaded_before"})
    expect_clean(kernel);
  if (!GetParam().is_cdna) expect_clean("waited_by_one_counter");
}

// LLVM, AMDGPUUsage, "Memory Model": a release in the scope of a workgroup waits for stores to global memory if the
// workgroup may run on two compute units.
TEST_P(BarrierWaits, AreMissingBehindStoresToGlobalMemoryOnRdna) {
  if (GetParam().is_cdna) {
    expect_clean("global_no_wait", 1);
  } else {
    expect_missing("global_no_wait", "s_waitcnt_vscnt null, 0x0", false);
  }
  expect_clean("global_no_wait_in_one_unit", 1);
  expect_clean("global_waited", 1);
}

TEST_P(BarrierWaits, AreNotLookedForInTheUsualOrder) {
  EXPECT_TRUE(findings("no_wait", kMeetingGroups, {.checks = {.races = true}}).empty());
}

TEST_P(BarrierWaits, AreNamedWithBothAccesses) {
  const std::vector<Fault> found = findings("no_wait", 1, adverse(1));
  ASSERT_EQ(found.size(), 1u);
  const std::string text = found.front().text();
  EXPECT_NE(text.find("and the barrier in between does not order the two: `s_waitcnt lgkmcnt(0)` is missing before it"),
            std::string::npos)
      << text;
  EXPECT_NE(found.front().other->instruction.find("ds_"), std::string::npos) << text;
  EXPECT_NE(found.front().json().find("\"missing_wait\":\"s_waitcnt lgkmcnt(0)\""), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Targets, BarrierWaits,
                         ::testing::Values(BarrierCode{"gfx90a", Isa::kGfx90a, true},
                                           BarrierCode{"gfx942", Isa::kGfx942, true},
                                           BarrierCode{"gfx1030", Isa::kGfx1030, false},
                                           BarrierCode{"gfx1100", Isa::kGfx1100, false}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kernloop::softgpu::testing
