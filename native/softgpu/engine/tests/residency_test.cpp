// Dispatches on a device with a limited number of resident workgroups.
#include "softgpu/engine/schedule/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

// Workgroups of up to four waves.
constexpr Residency holding(uint32_t workgroups) {
  return {"a small device", workgroups, 4, 1, 512 * 64 * 4, 8 * 64 * 4, 64 * 1024, 1};
}

struct ResidencyOrder {
  const char* name;
  DispatchOptions options;
  friend void PrintTo(const ResidencyOrder& order, std::ostream* out) { *out << order.name; }
};
// On one thread: waiting on others counts toward the limit, depending on how busy the host is.
constexpr uint64_t kLimit = 20'000'000;
const ResidencyOrder kResidencyOrders[] = {
    {"ascending", {.max_wave_instructions = kLimit, .threads = 1}},
    {"by_seed", {.max_wave_instructions = kLimit, .seed = 7, .threads = 1}},
    {"adverse", {.max_wave_instructions = kLimit, .seed = 3, .threads = 1, .adverse = {.wave_instructions = 1 << 24}}},
    {"other_adverse",
     {.max_wave_instructions = kLimit, .seed = 4, .threads = 1, .adverse = {.wave_instructions = 1 << 24}}},
    {"adverse_for_a_while",
     {.max_wave_instructions = kLimit, .seed = 5, .threads = 1, .adverse = {.wave_instructions = 3000}}},
};

class Residents : public ::testing::TestWithParam<ResidencyOrder> {
 protected:
  DispatchOutcome barrier(uint32_t groups, const Residency* residency) {
    Device device{KERNLOOP_TEST_PROGRAMS_O3};
    Array<uint32_t> arrived(device.space, 1), log(device.space, groups);
    DispatchOptions options = GetParam().options;
    options.residency = residency;
    constexpr uint32_t kRounds = 3;
    DispatchOutcome outcome = device.run("grid_barrier", linear(groups * 128, 128),
                                         Arguments(arrived.address(), log.address(), groups, kRounds), options);
    if (!outcome.fault) {
      EXPECT_EQ(std::count(log.begin(), log.end(), groups * kRounds), groups);
    }
    return outcome;
  }
};
INSTANTIATE_TEST_SUITE_P(Orders, Residents, ::testing::ValuesIn(kResidencyOrders),
                         [](const auto& info) { return info.param.name; });

TEST_P(Residents, MeetAtABarrierThatFits) {
  const Residency device = holding(150);
  const DispatchOutcome outcome = barrier(150, &device);
  EXPECT_FALSE(outcome.fault) << outcome.fault->text();
}

TEST_P(Residents, WaitInVainForOneThatDoesNotFit) {
  const Residency device = holding(149);
  EXPECT_FALSE(barrier(150, nullptr).fault);
  const DispatchOutcome outcome = barrier(150, &device);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kInstructionLimit);
  EXPECT_NE(outcome.fault->detail.find("149 workgroups, all that the device (a small device) holds at once"),
            std::string::npos)
      << outcome.fault->detail;
  EXPECT_NE(outcome.fault->detail.find("1 of 150 had not begun"), std::string::npos) << outcome.fault->detail;
}

// On hardware workgroups begin in ascending order: a workgroup that waits for an earlier one does not take its place.
TEST_P(Residents, MayWaitForThoseBeforeThem) {
  constexpr uint32_t kGroups = 400, kItems = 128;
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/races_gfx90a_O3.hsaco"};
  Array<uint32_t> in(device.space, kGroups * kItems), flags(device.space, kGroups), prefixes(device.space, kGroups),
      out(device.space, kGroups * kItems);
  std::iota(in.begin(), in.end(), 1u);
  const Residency small = holding(40);
  DispatchOptions options = GetParam().options;
  options.residency = &small;
  const DispatchOutcome outcome =
      device.run("look_back", linear(kGroups * kItems, kItems),
                 Arguments(in.address(), flags.address(), prefixes.address(), out.address()), options);
  ASSERT_FALSE(outcome.fault) << outcome.fault->text();
  uint32_t sum = 0;
  for (uint32_t group = 0; group < kGroups; ++group) {
    for (uint32_t i = 0; i < kItems; ++i) sum += in[group * kItems + i];
    ASSERT_EQ(prefixes[group], sum) << group;
  }
}

TEST_P(Residents, ThatDoNotWaitAreAsManyAsTheGridHas) {
  Device device{KERNLOOP_TEST_PROGRAMS_O3};
  constexpr uint32_t kItems = 128 * 3000;
  Array<int32_t> a(device.space, kItems), b(device.space, kItems), out(device.space, kItems);
  std::iota(a.begin(), a.end(), 1);
  std::fill(b.begin(), b.end(), 2);
  const Residency one = holding(1);
  DispatchOptions options = GetParam().options;
  options.residency = &one;
  options.threads = 3;
  const DispatchOutcome outcome = device.run("vector_add", linear(kItems, 128),
                                             Arguments(a.address(), b.address(), out.address(), kItems), options);
  ASSERT_FALSE(outcome.fault) << outcome.fault->text();
  for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(out[i], static_cast<int32_t>(i) + 1 + 6) << i;
  EXPECT_EQ(outcome.counters.workgroups, 3000u);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
