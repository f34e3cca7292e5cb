#include "replay/cuda/management_library.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kernloop::replay {
namespace {

class ManagementLibraryTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("KERNLOOP_NVML", KERNLOOP_FAKE_NVML, 1); }
  void TearDown() override { ::unsetenv("KERNLOOP_NVML"); }
};

TEST_F(ManagementLibraryTest, TellsClocksAndWhatSlowsThem) {
  const auto library = ManagementLibrary::open("0000:3b:00.0");
  ASSERT_NE(library, nullptr);
  const Conditions now = library->conditions();
  EXPECT_EQ(now.sm_mhz, 1755u);
  EXPECT_EQ(now.memory_mhz, 2619u);
  EXPECT_EQ(now.celsius, std::nullopt) << "the device does not tell it";
  EXPECT_EQ(now.slowed_by, (std::vector<std::string>{"power cap", "hardware thermal"}))
      << "idle, or as the application set it, is not slowed down";
}

TEST_F(ManagementLibraryTest, IsDoneWithoutWhereThereIsNone) {
  EXPECT_EQ(ManagementLibrary::open("0000:af:00.0"), nullptr) << "another device";
  ::setenv("KERNLOOP_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
  EXPECT_EQ(ManagementLibrary::open("0000:3b:00.0"), nullptr);
}

}  // namespace
}  // namespace kernloop::replay
