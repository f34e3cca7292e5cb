// Linear buffers: range checks and strides.
#include "softgpu/engine/tests/memory_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

TEST_F(Memory, RawBuffersReadZeroAndDropWritesDwordByDwordPastTheirEnd) {
  wave.set_sgpr64(0, data.address());
  wave.set_sgpr64(2, 100);  // bytes
  wave.sgpr[8] = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 4;
  run("buffer_load_raw");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u32 offset = lane * 4 + 4;
    ASSERT_EQ(wave.vgpr[8][lane], offset + 4 <= 100 ? take<u32>(&data[offset]) : 0u) << lane;
    ASSERT_EQ(wave.vgpr[9][lane], offset + 8 <= 100 ? take<u32>(&data[offset + 4]) : 0u) << lane;
  }
  wave.vgpr[0][5] = 0x80000000;  // what compilers use for a masked lane
  run("buffer_load_raw");
  EXPECT_EQ(wave.vgpr[8][5], 0u);
  std::vector<uint8_t> expected(data.begin(), data.end());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane == 24 ? 96 : 4000;
    wave.vgpr[2][lane] = 11;
    wave.vgpr[3][lane] = 12;
  }
  run("buffer_store_raw");
  const u32 eleven = 11;
  std::memcpy(&expected[96], &eleven, 4);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data.begin()));
}

TEST_F(Memory, ScalarOffsetsOfBuffersCountUnlessTheRangeCheckDependsOnThem) {
  wave.set_sgpr64(0, data.address());
  wave.set_sgpr64(2, 1000);
  wave.sgpr[8] = 200;
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 8;
  run("buffer_load_raw");
  EXPECT_EQ(wave.vgpr[8][10], take<u32>(&data[200 + 4 + 80]));
  wave.vgpr[0][10] = 900;
  EXPECT_EQ(fault_kind("buffer_load_raw"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Memory, StructuredBuffersMultiplyTheIndexByTheStride) {
  wave.sgpr[0] = static_cast<u32>(data.address());
  wave.sgpr[1] = static_cast<u32>(data.address() >> 32) | 24u << 16;
  wave.set_sgpr64(2, 40);  // records
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane;
    wave.vgpr[1][lane] = lane % 3 * 4;
  }
  run("buffer_load_structured");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(wave.vgpr[8][lane], lane < 40 ? take<u32>(&data[lane * 24 + lane % 3 * 4 + 4]) : 0u) << lane;
  }
  run("buffer_load_indexed");
  EXPECT_EQ(wave.vgpr[8][39], take<uint16_t>(&data[39 * 24]));
  EXPECT_EQ(wave.vgpr[8][40], 0u);
  wave.sgpr[1] |= 1u << 31;
  EXPECT_EQ(fault_kind("buffer_load_indexed"), Fault::Kind::kUnsupportedInstruction);
  run("buffer_caches");
}

}  // namespace
}  // namespace kernloop::softgpu::testing
