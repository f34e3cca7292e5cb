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
  wave.vgpr[0][5] = 0x80000000;  // compilers' value for a masked lane
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

TEST_F(Memory, ScalarOffsetsOfBuffersCountInAddressAndRangeCheck) {
  wave.set_sgpr64(0, data.address());
  wave.set_sgpr64(2, 1000);
  wave.sgpr[8] = 200;
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 8;
  run("buffer_load_raw");
  EXPECT_EQ(wave.vgpr[8][10], take<u32>(&data[200 + 4 + 80]));
  // The eight bytes at 4 + offset + 200 are in range if they end within 1000.
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane == 10 ? 788 : lane == 11 ? 792 : 796;
  run("buffer_load_raw");
  EXPECT_EQ(vector64(8, 10), take<u64>(&data[992]));
  EXPECT_EQ(vector64(8, 11), take<u32>(&data[996]));
  EXPECT_EQ(vector64(8, 12), 0u);
  wave.sgpr[8] = 1001;  // beyond the end: the difference does not wrap
  wave.vgpr[0][10] = 0;
  run("buffer_load_raw");
  EXPECT_EQ(vector64(8, 10), 0u);
}

// LLVM splits an offset into a register, which may be negative, and a constant, except on gfx1250, which adds them in
// more bits (llvm/llvm-project#152584): Triton's products of matrices have the first row at -64, offset:128.
TEST_F(Memory, OffsetsOfBuffersFromARegisterAndTheInstructionAddUpIn32Bits) {
  wave.set_sgpr64(0, data.address() + 400);
  wave.set_sgpr64(2, 64);
  wave.sgpr[8] = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 4 - 8;
  for (const u32 scalar : {0u, 16u}) {
    wave.sgpr[8] = scalar;
    run("buffer_load_raw");  // offset:4
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const u32 offset = lane * 4 - 4;  // of lane 0 it is far outside
      for (unsigned k = 0; k < 2; ++k) {
        const bool inside = u64{offset} + 4 * k + 4 + scalar <= 64;
        ASSERT_EQ(wave.vgpr[8 + k][lane], inside ? take<u32>(&data[400 + scalar + offset + 4 * k]) : 0u)
            << lane << " " << k;
      }
    }
  }
  wave.sgpr[1] |= 24u << 16;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane;
    wave.vgpr[1][lane] = 0xfffffffc;
  }
  run("buffer_load_structured");  // offset:4
  for (unsigned lane = 0; lane < kLanes; ++lane)
    ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&data[400 + lane * 24])) << lane;
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

// Vega ISA 8.1.7: LDS address = M0[15:0] + instruction offset + 4 * lane; memory address as without LDS.
TEST_F(Memory, LoadsIntoLdsPutADwordALaneBehindM0) {
  const std::vector<uint8_t> untouched(lds);
  wave.set_sgpr64(0, data.address());
  wave.set_sgpr64(2, 100);
  wave.sgpr[8] = 0;
  wave.sgpr[kM0] = 0xabcd0000 | 512;  // the upper half is ignored
  wave.set_exec(~u64{0} ^ 1u << 7);
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 8;
  run("buffer_load_raw_to_lds");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u32 at = 512 + 4 + 4 * lane, offset = lane * 8 + 4;
    const u32 expected = lane == 7 ? take<u32>(&untouched[at]) : offset + 4 <= 100 ? take<u32>(&data[offset]) : 0;
    ASSERT_EQ(take<u32>(&lds[at]), expected) << lane;
  }
  EXPECT_TRUE(std::equal(lds.begin(), lds.begin() + 516, untouched.begin()));
  EXPECT_TRUE(std::equal(lds.begin() + 516 + 256, lds.end(), untouched.begin() + 516 + 256));
  EXPECT_EQ(counters.vmem_read, 1u);
}

TEST_F(Memory, NarrowLoadsIntoLdsAreExtendedToADword) {
  wave.sgpr[0] = static_cast<u32>(data.address());
  wave.sgpr[1] = static_cast<u32>(data.address() >> 32) | 3u << 16;
  wave.set_sgpr64(2, 1000);
  wave.sgpr[kM0] = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) data[lane * 3] = static_cast<uint8_t>(0xe0 + lane);
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane;
  run("buffer_load_sbyte_to_lds");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(take<int32_t>(&lds[4 * lane]), static_cast<int8_t>(0xe0 + lane)) << lane;
  }
  wave.set_sgpr64(0, data.address());
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 2;
  run("global_load_ushort_to_lds");
  for (unsigned lane = 0; lane < kLanes; ++lane)
    ASSERT_EQ(take<u32>(&lds[4 * lane]), take<uint16_t>(&data[2 * lane])) << lane;
}

TEST_F(Memory, GlobalLoadsIntoLdsFaultWhereLdsEnds) {
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, data.address() + 4 * (63 - lane));
  wave.sgpr[kM0] = kLdsBytes - 264;
  run("global_load_to_lds");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(take<u32>(&lds[kLdsBytes - 256 + 4 * lane]), take<u32>(&data[8 + 4 * (63 - lane)])) << lane;
  }
  wave.sgpr[kM0] = kLdsBytes - 260;
  const std::optional<WaveFault> fault = try_run("global_load_to_lds");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::kLdsOutOfRange);
  EXPECT_EQ(fault->lane, 63);
  wave.sgpr[kM0] = 2;
  EXPECT_EQ(fault_kind("global_load_to_lds"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(fault_kind("scratch_load_to_lds"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Memory, ConversionsWhoseRoundingIsKnownForTheDefaultModeAloneRefuseOthers) {
  run("pack_norm");
  run("pack_byte");
  wave.mode.round_f32 = 3;
  EXPECT_EQ(fault_kind("pack_norm"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(fault_kind("pack_byte"), Fault::Kind::kUnsupportedInstruction);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
