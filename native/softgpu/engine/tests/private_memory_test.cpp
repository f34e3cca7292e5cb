// Private memory by every way that leads to it.
#include "softgpu/engine/tests/memory_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

TEST_F(Memory, PrivateMemoryIsEachLanesOwnAndInterleavedByDwords) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = 16;
    wave.vgpr[2][lane] = 500 + lane;
  }
  run("scratch_store_dword");
  EXPECT_EQ(counters.scratch, 1u);
  EXPECT_EQ(counters.vmem_write, 0u);
  EXPECT_EQ(counters.scratch_bytes_written, 64 * 4u);
  EXPECT_EQ(counters.scratch_bytes_read + counters.bytes_written, 0u);
  run("scratch_load_dword");
  EXPECT_EQ(counters.scratch_bytes_read, 64 * 4u);
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  // The same address through the private segment buffer, whose scalar offset counts 64 for each byte of a lane.
  wave.set_sgpr64(0, kScratchWaveBase | u64{1} << 63);
  wave.set_sgpr64(2, 0xffffffffull | u64{(3u << 21) | (1u << 23)} << 32);
  wave.sgpr[32] = 4 * 64;
  run("private_buffer_load");  // 4 + 12
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = (lane % 4) * 4;
  run("private_buffer_store");  // 4 + 4 + 4 * (lane % 4)
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 8 + (lane % 4) * 4;
  std::fill_n(wave.vgpr[8], kLanes, 0);
  run("scratch_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  // The same through a flat address.
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, kPrivateApertureBase + 8 + (lane % 4) * 4);
  run("flat_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  EXPECT_EQ(counters.scratch, 1u);
  EXPECT_EQ(counters.vmem_read, 0u);
  EXPECT_EQ(fault_kind("private_buffer_load_x2"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Memory, WideAndUnalignedPrivateAccessesKeepTheirBytesTogether) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(0, lane, kPrivateApertureBase + 3 + lane % 5);
    for (unsigned k = 0; k < 4; ++k) wave.vgpr[2 + k][lane] = lane * 0x01010101u + k * 0x10203040u;
  }
  wave.set_exec(kSomeLanes);
  run("flat_store_dwordx4");
  run("flat_load_dwordx4");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned k = 0; k < 4; ++k)
      ASSERT_EQ(wave.vgpr[8 + k][lane], (kSomeLanes >> lane & 1) ? wave.vgpr[2 + k][lane] : kUntouched);
  }
  // Single bytes of it.
  for (unsigned byte = 0; byte < 16; ++byte) {
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 3 + lane % 5 + byte;
    run("scratch_load_ubyte");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (kSomeLanes >> lane & 1) {
        ASSERT_EQ(wave.vgpr[8][lane], (wave.vgpr[2 + byte / 4][lane] >> (byte % 4 * 8)) & 0xff);
      }
    }
  }
}

// From gfx9 on, compilers fold any constant into the instruction, since the private segment has no range check.
TEST_F(Memory, ARegistersOffsetIntoThePrivateBufferMayBeNegative) {
  wave.set_sgpr64(0, kScratchWaveBase | u64{1} << 63);
  wave.set_sgpr64(2, 0xffffffffull | u64{(3u << 21) | (1u << 23)} << 32);
  wave.sgpr[32] = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = 0xfffffffc;
    wave.vgpr[2][lane] = 700 + lane;
  }
  run("private_buffer_store");  // offset:4
  std::fill_n(wave.vgpr[0], kLanes, 0);
  run("private_buffer_load_at");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 700 + lane);
}

// The bytes of an address are the same through the buffer and through scratch instructions, byte by byte.
TEST_F(Memory, ADwordOfThePrivateBufferMayLieAcrossTwoElementsOfTheSwizzle) {
  wave.set_sgpr64(0, kScratchWaveBase | u64{1} << 63);
  wave.set_sgpr64(2, 0xffffffffull | u64{(3u << 21) | (1u << 23)} << 32);
  wave.sgpr[32] = 0;
  wave.set_exec(kSomeLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane % 4;
    wave.vgpr[2][lane] = lane * 0x01010101u + 0x40302010u;
  }
  run("private_buffer_store");  // 4 + lane % 4
  for (unsigned byte = 0; byte < 4; ++byte) {
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 4 + lane % 4 + byte;
    run("scratch_load_ubyte");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(wave.vgpr[8][lane], kSomeLanes >> lane & 1 ? wave.vgpr[2][lane] >> 8 * byte & 0xff : kUntouched)
          << lane;
    }
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 4 + lane % 4;
  run("private_buffer_load_at");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(wave.vgpr[8][lane], kSomeLanes >> lane & 1 ? wave.vgpr[2][lane] : kUntouched) << lane;
  }
}

TEST_F(Memory, WideAlignedPrivateAccessesMeetTheirDwordsOneByOne) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = 16 * (lane % 8);
    for (unsigned k = 0; k < 4; ++k) wave.vgpr[2 + k][lane] = lane * 0x01010101u + k * 0x10203040u;
  }
  wave.set_exec(kSomeLanes);
  run("scratch_store_dwordx4");  // offset:4
  for (unsigned k = 0; k < 4; ++k) {
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 16 * (lane % 8) + 4 + 4 * k;
    run("scratch_load_dword");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(wave.vgpr[8][lane], (kSomeLanes >> lane & 1) ? wave.vgpr[2 + k][lane] : kUntouched);
    }
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 16 * (lane % 8);
  run("scratch_load_dwordx4");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned k = 0; k < 4; ++k) {
      ASSERT_EQ(wave.vgpr[8 + k][lane], (kSomeLanes >> lane & 1) ? wave.vgpr[2 + k][lane] : kUntouched);
    }
  }
}

TEST_F(Memory, PrivateMemoryEndsWhereTheKernelSaid) {
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane == 7 ? kPrivateBytes : 0;
  const std::optional<WaveFault> fault = try_run("scratch_store_dword");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::kScratchOutOfRange);
  EXPECT_EQ(fault->lane, 7);
  EXPECT_EQ(fault->address, kPrivateBytes);
  wave.vgpr[0][7] = kPrivateBytes - 4;
  run("scratch_store_dword");
  EXPECT_EQ(fault_kind("scratch_store_dwordx4"), Fault::Kind::kScratchOutOfRange);
  wave.vgpr[0][7] = static_cast<u32>(-4);
  EXPECT_EQ(fault_kind("scratch_load_dword"), Fault::Kind::kScratchOutOfRange);
  wave.vgpr[0][7] = 0;
  wave.set_sgpr64(kFlatScratch, kScratchBackingBase);  // a prolog that forgot the wave offset
  EXPECT_EQ(fault_kind("scratch_load_dword"), Fault::Kind::kScratchOutOfRange);
}

TEST_F(Memory, ANewWaveFindsNothingOfTheOneBefore) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane % 64 * 4;
    wave.vgpr[2][lane] = 0xffffffff;
  }
  run("scratch_store_dword");
  wave.scratch.begin_wave(kPrivateBytes, fill);
  run("scratch_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], unwritten_private(lane, lane)) << lane;
}

}  // namespace
}  // namespace kernloop::softgpu::testing
