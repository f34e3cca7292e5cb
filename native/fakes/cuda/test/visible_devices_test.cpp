// CUDA_VISIBLE_DEVICES; expectations from the CUDA C++ programming guide, "CUDA Environment Variables".
#include "fakes/cuda/visible_devices.h"

#include <gtest/gtest.h>

namespace kernloop::cuda::fake {
namespace {

using Devices = std::vector<int>;

TEST(VisibleDevices, AreAllWithoutTheVariableAndNoneWithAnEmptyOne) {
  EXPECT_EQ(visible_devices(nullptr, 3), (Devices{0, 1, 2}));
  EXPECT_EQ(visible_devices("", 3), Devices{});
}

TEST(VisibleDevices, AreCountedInTheOrderOfTheList) {
  EXPECT_EQ(visible_devices("2,0", 3), (Devices{2, 0}));
}

TEST(VisibleDevices, EndAtTheFirstEntryThatNamesNone) {
  EXPECT_EQ(visible_devices("0,-1,1", 3), Devices{0});
  EXPECT_EQ(visible_devices("3", 3), Devices{});
  EXPECT_EQ(visible_devices("1,x,0", 3), Devices{1});
}

TEST(VisibleDevices, AreNamedByUuid) {
  EXPECT_EQ(uuid_text(1), "GPU-66616b65-2d63-7564-612d-646576696331");
  EXPECT_EQ(visible_devices(uuid_text(1).c_str(), 3), Devices{1});
  EXPECT_EQ(visible_devices("GPU-ffffffff", 3), Devices{});
}

}  // namespace
}  // namespace kernloop::cuda::fake
