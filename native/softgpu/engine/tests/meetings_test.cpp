// Meetings of waves are found at any addresses.
#include "softgpu/engine/observe/meetings.h"

#include <gtest/gtest.h>

namespace kernloop::softgpu::testing {
namespace {

// Places that many waves come by, as far apart as the pages of a process's memory happen to be: all are remembered.
TEST(MeetingsTest, EveryPlaceOfASmallKernelIsRemembered) {
  constexpr uint64_t kPlaces = 1000;
  Workgroup here, there;
  here.ordinal = 1;
  there.ordinal = 2;
  WaveSlot first, second, third;
  first.workgroup = second.workgroup = &here;
  third.workgroup = &there;
  second.index_in_workgroup = 1;
  for (uint64_t layout = 1; layout <= 50; ++layout) {
    const auto at = [&](uint64_t place) { return 0x7f0000000000 + (mix(layout << 32 | place) % (1 << 28)) * 4; };
    Meetings meetings;
    for (uint64_t k = 0; k < kPlaces; ++k) {
      EXPECT_EQ(meetings.note(first, at(k), AccessKind::kStore), Meetings::With::kNobody) << layout << " " << k;
    }
    for (uint64_t k = 0; k < kPlaces; ++k) {
      EXPECT_EQ(meetings.note(second, at(k), AccessKind::kLoad), Meetings::With::kWave) << layout << " " << k;
      EXPECT_EQ(meetings.note(third, at(k), AccessKind::kLoad), Meetings::With::kWorkgroup) << layout << " " << k;
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
