// Kernel arguments that are in SGPRs when a wave starts.
#include <gtest/gtest.h>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

class PreloadedArguments : public ::testing::Test {
 protected:
  static constexpr uint32_t kGroups = 3;

  PreloadedArguments() { std::fill(out.begin(), out.end(), 0xeeeeeeee); }

  // Equivalent to `.amdhsa_user_sgpr_kernarg_preload_length` and `_offset` of later assemblers.
  void preload(const std::string& kernel, unsigned dwords, unsigned first) {
    const auto field = static_cast<uint16_t>(dwords | first << 7);
    std::memcpy(device.program.host(device.program.kernel_object(kernel)) + 58, &field, sizeof field);
  }

  DispatchOutcome run(const std::string& kernel) {
    const uint64_t address = out.address();
    const Arguments arguments(address, 11u, 12u, 13u, 14u, 15u, 16u, 17u, 18u, 19u, 20u, 21u, 22u, 23u, 24u);
    return device.run(kernel, linear(kGroups, 1), arguments);
  }

  void expect_rows(const std::string& kernel, const std::function<std::vector<uint32_t>(uint32_t group)>& row) {
    const DispatchOutcome outcome = run(kernel);
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    for (uint32_t group = 0; group < kGroups; ++group) {
      EXPECT_EQ(std::vector<uint32_t>(&out[group * 4], &out[group * 4] + 4), row(group)) << kernel;
    }
  }

  Device device{KERNLOOP_TEST_OBJECTS "/preloaded.hsaco"};
  Array<uint32_t> out{device.space, kGroups * 4};
};

TEST_F(PreloadedArguments, FollowTheOtherUserSgprsAndComeBeforeTheWorkgroup) {
  preload("behind_the_pointer", 5, 0);
  expect_rows("behind_the_pointer", [](uint32_t group) { return std::vector<uint32_t>{11, 12, 13, group}; });
}

TEST_F(PreloadedArguments, BeginAtTheDwordThatIsAskedFor) {
  preload("from_the_middle", 2, 3);
  expect_rows("from_the_middle", [](uint32_t group) { return std::vector<uint32_t>{12, 13, group, 9}; });
}

TEST_F(PreloadedArguments, FillAllUserSgprs) {
  preload("all_of_them", 16, 0);
  expect_rows("all_of_them", [](uint32_t group) { return std::vector<uint32_t>{11, 12, 24, group}; });
}

TEST_F(PreloadedArguments, LeaveTheFirst256BytesToCodeThatWantsNone) {
  const DispatchOutcome outcome = run("behind_the_pointer");
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kTrap);
  EXPECT_EQ(outcome.fault->pc_offset, 0u);
}

TEST_F(PreloadedArguments, AreRefusedWhereTheyAreNotInDeviceMemory) {
  preload("behind_the_pointer", 5, 0);
  DispatchRequest request = device.request("behind_the_pointer", linear(1, 1), Arguments(out.address()));
  request.kernarg_address = 0x1000;
  const DispatchOutcome outcome = device.engine.run(request, {});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kBadDispatch);
  EXPECT_NE(outcome.fault->detail.find("20 bytes are preloaded"), std::string::npos) << outcome.fault->detail;
}

TEST_F(PreloadedArguments, AreRefusedWhereThereIsNoRoomForThem) {
  preload("behind_the_pointer", 6, 0);
  const DispatchOutcome outcome = run("behind_the_pointer");
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kBadDispatch);
  EXPECT_NE(outcome.fault->detail.find("5 of its user SGPRs are free"), std::string::npos) << outcome.fault->detail;
  for (const uint32_t word : out) EXPECT_EQ(word, 0xeeeeeeee);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
