// Differences of gfx1030 from gfx90a: waves of 32 lanes, narrow masks, halves that stay, exchange between lanes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "softgpu/engine/tests/lone_wave.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kUntouched = 0x5555aaaa;

class Rdna2 : public LoneWave, public ::testing::Test {
 protected:
  explicit Rdna2(const char* snippets = KERNLOOP_TEST_RDNA2_WAVE32, Target of = kGfx1030) : LoneWave(snippets, of) {
    for (unsigned row = 0; row < 8; ++row) {
      for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[row][lane] = kUntouched;
    }
    for (unsigned k = 0; k < 16; ++k) wave.sgpr[k] = kUntouched;
  }
  template <typename F>
  void fill(unsigned row, F&& value) {
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[row][lane] = value(lane);
  }
  uint32_t exec_hi() const { return wave.sgpr[kExec + 1]; }
};
class Rdna2Wave64 : public Rdna2 {
 protected:
  Rdna2Wave64() : Rdna2(KERNLOOP_TEST_RDNA2_WAVE64, kGfx1030Wave64) {}
};

TEST_F(Rdna2, AMaskHasOneRegister) {
  fill(0, [](unsigned lane) { return lane; });
  fill(1, [](unsigned lane) { return lane & 3; });
  run("compare");
  EXPECT_EQ(wave.sgpr[4], 0xfu);
  EXPECT_EQ(wave.sgpr[5], kUntouched);
}

TEST_F(Rdna2Wave64, AMaskHasTwo) {
  fill(0, [](unsigned lane) { return lane; });
  fill(1, [](unsigned lane) { return lane < 32 ? 0u : lane; });
  run("compare");
  EXPECT_EQ(wave.sgpr64(4), 0xffffffff'00000001u);
}

TEST_F(Rdna2, AMaskToNullLeavesExecAlone) {
  wave.set_exec(0xf0f0f0f0);
  run("compare_to_null");
  EXPECT_EQ(wave.exec(), 0xf0f0f0f0u);
}

// The pair would be null and the register behind it, EXEC_LO.
TEST_F(Rdna2Wave64, AMaskToNullLeavesExecAlone) {
  for (const char* snippet : {"compare_to_null", "multiply_add_to_null"}) {
    wave.set_exec(0x0123456789abcdef);
    run(snippet);
    EXPECT_EQ(wave.exec(), 0x0123456789abcdefu) << snippet;
  }
}

TEST_F(Rdna2, CmpxWritesExecAndNotVcc) {
  fill(0, [](unsigned lane) { return lane; });
  fill(1, [](unsigned) { return 4u; });
  wave.set_vcc(0x123456789abcdef0);
  run("compare_exec");
  EXPECT_EQ(wave.exec(), 0xfu);
  EXPECT_EQ(wave.vcc(), 0x123456789abcdef0u);
}

TEST_F(Rdna2, CarriesGoThroughOneRegister) {
  fill(0, [](unsigned lane) { return lane < 2 ? 0xffffffffu : 1u; });
  fill(1, [](unsigned) { return 1u; });
  run("add_carry_out");
  EXPECT_EQ(wave.sgpr[4], 3u);
  EXPECT_EQ(wave.sgpr[5], kUntouched);
  wave.sgpr[4] = 0x80000001;
  wave.sgpr[5] = 0xffffffff;
  run("add_carry_in");
  EXPECT_EQ(wave.vgpr[2][0], 1u);
  EXPECT_EQ(wave.vgpr[2][1], 0u);
  EXPECT_EQ(wave.vgpr[2][31], 3u);
  EXPECT_EQ(wave.exec(), 0xffffffffu);  // the carry out is null
  run("choose");
  EXPECT_EQ(wave.vgpr[2][0], 1u);
  EXPECT_EQ(wave.vgpr[2][1], 0xffffffffu);
}

TEST_F(Rdna2, SaveexecKeepsOneRegister) {
  wave.set_exec(0xff00ff00);
  wave.sgpr[0] = 0x0f0f0f0f;
  run("and_saveexec");
  EXPECT_EQ(wave.sgpr[4], 0xff00ff00u);
  EXPECT_EQ(wave.sgpr[5], kUntouched);
  EXPECT_EQ(wave.exec(), 0x0f000f00u);
  EXPECT_TRUE(wave.scc);
  run("andn2_wrexec");
  EXPECT_EQ(wave.exec(), 0x000f000fu);  // s0 without what EXEC had
  EXPECT_EQ(wave.sgpr[4], 0x000f000fu);
}

TEST_F(Rdna2, VcczLooksAtVccLoAlone) {
  wave.set_vcc(0xffffffff'00000000);
  run("branch_vccz");
  EXPECT_EQ(wave.sgpr[4], 1u);
  wave.set_vcc(1);
  run("branch_vccz");
  EXPECT_EQ(wave.sgpr[4], 0u);
}

TEST_F(Rdna2, WhatANarrowWaveHasNotIsRefused) {
  EXPECT_EQ(fault_kind("write_exec_hi"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(exec_hi(), 0u);
  EXPECT_EQ(fault_kind("read_vccz"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(fault_kind("get_status"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(fault_kind("code_end"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Rdna2, NullReadsZeroAndKeepsNothing) {
  wave.sgpr[0] = 41;
  run("write_null");
  run("read_null");
  EXPECT_EQ(wave.sgpr[4], 41u);
  EXPECT_EQ(fault_kind("write_null_pair"), Fault::Kind::kUnsupportedInstruction);
  EXPECT_EQ(wave.exec(), 0xffffffffu);
}

TEST_F(Rdna2, LanesAreNamedModulo32) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.sgpr[0] = 33;
  wave.sgpr[1] = 7;
  run("read_lane");
  EXPECT_EQ(wave.sgpr[4], 101u);
  run("write_lane");
  EXPECT_EQ(wave.vgpr[0][1], 7u);
  EXPECT_EQ(wave.vgpr[0][33], 133u);
}

TEST_F(Rdna2Wave64, AllLanesAreNamed) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.sgpr[0] = 33;
  run("read_lane");
  EXPECT_EQ(wave.sgpr[4], 133u);
}

TEST_F(Rdna2, PermutesWithinRows) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.sgpr[0] = 0x76543210;  // lanes 0..7 keep theirs
  wave.sgpr[1] = 0x01234567;  // lanes 8..15: 7, 6, …
  run("permute_row");
  EXPECT_EQ(wave.vgpr[1][3], 103u);
  EXPECT_EQ(wave.vgpr[1][8], 107u);
  EXPECT_EQ(wave.vgpr[1][15], 100u);
  EXPECT_EQ(wave.vgpr[1][16 + 8], 116u + 7);
  run("permute_across");
  EXPECT_EQ(wave.vgpr[1][3], 116u + 3);
  EXPECT_EQ(wave.vgpr[1][16 + 15], 100u);
}

TEST_F(Rdna2, PermutingFromAnInactiveLaneFollowsItsModifiers) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.sgpr[0] = wave.sgpr[1] = 0x11111111;  // all read lane 1 of their row
  wave.set_exec(0xffff0005);                 // lanes 0 and 2 of the first row, which lacks lane 1
  run("permute_row");
  EXPECT_EQ(wave.vgpr[1][0], kUntouched);
  EXPECT_EQ(wave.vgpr[1][16], 117u);
  run("permute_row_bound");
  EXPECT_EQ(wave.vgpr[1][0], 0u);
  EXPECT_EQ(wave.vgpr[1][1], kUntouched);
  run("permute_row_fetch");
  EXPECT_EQ(wave.vgpr[1][0], 101u);
  EXPECT_EQ(wave.vgpr[1][1], kUntouched);
}

TEST_F(Rdna2, LanesAreNamedByLiterals) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.sgpr[0] = 0x76543210;
  wave.set_exec(0xffff);  // the row that is read is inactive, and fetched
  run("permute_across_by_literal");
  for (unsigned lane = 0; lane < 16; ++lane) EXPECT_EQ(wave.vgpr[1][lane], 116 + lane);
  EXPECT_EQ(wave.vgpr[1][16], kUntouched);
  run("permute_row_by_literals");
  for (unsigned lane = 0; lane < 16; ++lane) EXPECT_EQ(wave.vgpr[1][lane], 107 - lane % 8);
  run("read_lane_by_literal");
  EXPECT_EQ(wave.sgpr[4], 100 + (0x4b & 31u));
  wave.sgpr[0] = 3;
  run("write_lane_by_literal");
  EXPECT_EQ(wave.vgpr[0][3], 0xfedcba98u);
  EXPECT_EQ(wave.vgpr[0][4], 104u);
}

TEST_F(Rdna2Wave64, LanesAreNamedByLiterals) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.sgpr[0] = 0x76543210;
  run("permute_across_by_literal");
  for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(wave.vgpr[1][lane], 100 + (lane ^ 16));
  run("read_lane_by_literal");
  EXPECT_EQ(wave.sgpr[4], 100 + (0x4b & 63u));
  wave.sgpr[0] = 40;
  run("write_lane_by_literal");
  EXPECT_EQ(wave.vgpr[0][40], 0xfedcba98u);
}

TEST_F(Rdna2, DsPermutesWrapAt32Lanes) {
  fill(0, [](unsigned lane) { return 4 * (lane + 33); });
  fill(1, [](unsigned lane) { return 100 + lane; });
  run("permute_backward");
  EXPECT_EQ(wave.vgpr[2][0], 101u);
  EXPECT_EQ(wave.vgpr[2][31], 100u);
  run("permute_forward");
  EXPECT_EQ(wave.vgpr[2][1], 100u);
  EXPECT_EQ(wave.vgpr[2][0], 131u);
}

TEST_F(Rdna2Wave64, DsPermutesStayInTheirHalf) {
  fill(0, [](unsigned) { return 4u * 3; });
  fill(1, [](unsigned lane) { return 100 + lane; });
  run("permute_backward");
  EXPECT_EQ(wave.vgpr[2][5], 103u);
  EXPECT_EQ(wave.vgpr[2][40], 135u);
}

TEST_F(Rdna2, DppSharesAndExchangesWithinRows) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  run("row_share");
  EXPECT_EQ(wave.vgpr[1][0], 103u);
  EXPECT_EQ(wave.vgpr[1][31], 119u);
  run("row_xmask");
  EXPECT_EQ(wave.vgpr[1][0], 105u);
  EXPECT_EQ(wave.vgpr[1][16 + 7], 116u + 2);
  run("dpp8");
  EXPECT_EQ(wave.vgpr[1][0], 107u);
  EXPECT_EQ(wave.vgpr[1][13], 110u);
}

TEST_F(Rdna2, DppFetchesInactiveLanesWhenTold) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  wave.set_exec(1);  // lane 0 reads lane 5, or lane 7
  run("row_xmask");
  EXPECT_EQ(wave.vgpr[1][0], kUntouched);
  run("dpp8");
  EXPECT_EQ(wave.vgpr[1][0], kUntouched);
  run("row_xmask_fetch");
  EXPECT_EQ(wave.vgpr[1][0], 105u);
  run("dpp8_fetch");
  EXPECT_EQ(wave.vgpr[1][0], 107u);
  EXPECT_EQ(wave.vgpr[1][1], kUntouched);
}

TEST_F(Rdna2, M0ShiftsRelativeRegisters) {
  fill(7, [](unsigned lane) { return 700 + lane; });
  wave.sgpr[kM0] = 3;
  wave.set_exec(0x3);
  run("move_from_relative");
  EXPECT_EQ(wave.vgpr[1][1], 701u);
  EXPECT_EQ(wave.vgpr[1][2], kUntouched);
  wave.sgpr[kM0] = 1;
  run("move_to_relative");
  EXPECT_EQ(wave.vgpr[5][0], 700u);
  EXPECT_EQ(wave.vgpr[4][0], kUntouched);
  wave.sgpr[kM0] = 252;
  EXPECT_EQ(fault_kind("move_from_relative"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Rdna2, NothingLiesBelowALaneInTheUpperHalf) {
  wave.sgpr[0] = 0xffffffff;
  run("count_low");
  EXPECT_EQ(wave.vgpr[1][31], 31u);
  run("count_high");
  EXPECT_EQ(wave.vgpr[1][31], 7u);
}

// gfx90a clears the high half here.
TEST_F(Rdna2, ResultsOf16BitsKeepTheOtherHalf) {
  constexpr uint32_t kOne = 0x3c00, kTwo = 0x4000, kThree = 0x4200, kOld = 0xdead0000;
  const auto run_on = [&](const char* snippet, uint32_t a, uint32_t b) {
    fill(0, [&](unsigned) { return a; });
    fill(1, [&](unsigned) { return b; });
    fill(2, [&](unsigned) { return kOld | 0xbeef; });
    fill(3, [&](unsigned) { return kOne; });
    wave.set_exec(1);
    run(snippet);
    EXPECT_EQ(wave.vgpr[2][1], kOld | 0xbeef) << snippet << " in an inactive lane";
    return wave.vgpr[2][0];
  };
  EXPECT_EQ(run_on("half_add", kOne, kTwo), kOld | kThree);
  EXPECT_EQ(run_on("half_convert", 0x40400000, 0), kOld | kThree);
  EXPECT_EQ(run_on("half_integer", 0xffff, 2), kOld | 1);
  EXPECT_EQ(run_on("half_add_high", kOne, kTwo), kThree << 16 | 0xbeef);
  EXPECT_EQ(run_on("half_sdwa", kOne, kTwo), kThree);  // UNUSED_PAD
}

TEST_F(Rdna2, FmacRoundsOnce) {
  // (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20: nothing is left of it where the product is rounded first.
  fill(0, [](unsigned) { return 0x3c01u; });
  fill(1, [](unsigned) { return 0x3c01u; });
  fill(2, [](unsigned) { return 0xbc02u; });
  run("half_fmac");
  EXPECT_EQ(wave.vgpr[2][0], 0x0010u);
}

TEST_F(Rdna2, LiteralsStandWhereTheTextHasThem) {
  const auto as_bits = [](float v) { return std::bit_cast<uint32_t>(v); };
  fill(0, [&](unsigned) { return as_bits(2); });
  fill(1, [&](unsigned) { return as_bits(5); });
  wave.sgpr[0] = as_bits(0.5);
  run("fmamk");
  EXPECT_EQ(wave.vgpr[2][0], as_bits(2 * 3 + 5));
  run("fmaak");
  EXPECT_EQ(wave.vgpr[2][0], as_bits(2 * 5 + 3));
  run("fma_literal");
  EXPECT_EQ(wave.vgpr[2][0], as_bits(std::fma(2.0f, 3.14159274f, 0.5f)));
}

TEST_F(Rdna2, RenamedIntegersDoWhatTheyDid) {
  fill(0, [](unsigned) { return 5u; });
  fill(1, [](unsigned) { return 3u; });
  fill(3, [](unsigned) { return 9u; });
  run("subtract_reverse");
  EXPECT_EQ(wave.vgpr[2][0], static_cast<uint32_t>(3 - 5));
  run("xor3");
  EXPECT_EQ(wave.vgpr[2][0], 5u ^ 3u ^ 9u);
}

// Without SRAM ECC.
TEST_F(Rdna2, D16LoadsKeepTheOtherHalf) {
  Buffer buffer(space, 256, "halves");
  const uint16_t value = 0x1234;
  std::memcpy(reinterpret_cast<void*>(buffer.address()), &value, sizeof value);
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, buffer.address());
  fill(2, [](unsigned) { return 0xaaaabbbbu; });
  run("load_d16");
  EXPECT_EQ(wave.vgpr[2][0], 0xaaaa1234u);
  fill(2, [](unsigned) { return 0xaaaabbbbu; });
  run("load_d16_hi");
  EXPECT_EQ(wave.vgpr[2][0], 0x1234bbbbu);
  lds[8] = 0x77;
  fill(0, [](unsigned) { return 8u; });
  fill(2, [](unsigned) { return 0xaaaabbbbu; });
  run("lds_d16");
  EXPECT_EQ(wave.vgpr[2][0], 0xaaaa0077u);
}

TEST_F(Rdna2, FlatScratchIsAHardwareRegister) {
  fill(0, [](unsigned lane) { return 8 * (lane & 1); });
  fill(1, [](unsigned lane) { return 1000 + lane; });
  EXPECT_EQ(fault_kind("scratch_store"), Fault::Kind::kScratchOutOfRange);
  wave.set_sgpr64(0, kScratchWaveBase);
  run("set_flat_scratch");
  run("get_flat_scratch");
  EXPECT_EQ(wave.sgpr[4], static_cast<uint32_t>(kScratchWaveBase) >> 4 & 0xff);
  run("scratch_store");
  wave.sgpr[0] = 8;
  run("scratch_load");
  EXPECT_EQ(wave.vgpr[2][1], 1001u);
  EXPECT_EQ(wave.vgpr[2][2], unwritten_private(3, 2));
}

TEST_F(Rdna2, ModeIsSetInParts) {
  run("round_up");
  EXPECT_EQ(wave.mode.round_f32, 1);
  EXPECT_EQ(wave.mode.round_f64_f16, 2);
  EXPECT_EQ(wave.mode.denorm_f32, 3);
  run("keep_no_denormals");
  EXPECT_EQ(wave.mode.denorm_f32, 0);
  EXPECT_EQ(wave.mode.denorm_f64_f16, 3);
  EXPECT_EQ(wave.mode.round_f32, 1);
}

TEST_F(Rdna2, WaitingIsNothing) {
  run("waits");
}

// RDNA2 ISA, "Flat, scratch and global instructions": the compared value decides, old values are returned.
class Rdna2Atomics : public Rdna2 {
 protected:
  Array<uint32_t> data{space, 64, "data"};

  void SetUp() override {
    wave.set_exec(1);
    set_vector64(0, 0, data.address());
    wave.set_sgpr64(0, data.address());
    wave.set_sgpr64(2, 256 | uint64_t{3} << 60);  // OOB_SELECT 3: the offset is checked
  }
  // Memory after `snippet`, whose result is the old value in every case.
  uint32_t after(const std::string& snippet, uint32_t memory, uint32_t operand, unsigned result = 6) {
    data[0] = memory;
    wave.vgpr[2][0] = operand;
    run(snippet);
    EXPECT_EQ(wave.vgpr[result][0], memory) << snippet;
    return data[0];
  }
  uint64_t after_wide(const std::string& snippet, double memory, double operand, double compared = 0) {
    std::memcpy(&data[0], &memory, 8);
    set_vector64(2, 0, std::bit_cast<uint64_t>(operand));
    set_vector64(4, 0, std::bit_cast<uint64_t>(compared));
    run(snippet);
    EXPECT_EQ(vector64(6, 0), std::bit_cast<uint64_t>(memory)) << snippet;
    uint64_t left;
    std::memcpy(&left, &data[0], 8);
    return left;
  }
};

TEST_F(Rdna2Atomics, FloatMinimumAndMaximumKeepDenormalsAndPreferNumbers) {
  constexpr uint32_t kOne = 0x3f800000, kMinusTwo = 0xc0000000, kDenormal = 1, kNan = 0x7fc00001,
                     kMinusZero = 0x80000000;
  EXPECT_EQ(after("global_fmin", kOne, kMinusTwo), kMinusTwo);
  EXPECT_EQ(after("global_fmax", kOne, kMinusTwo), kOne);
  EXPECT_EQ(after("global_fmin", kOne, kDenormal), kDenormal);
  EXPECT_EQ(after("global_fmax", 0, kDenormal), kDenormal);
  EXPECT_EQ(after("global_fmax", kNan, kMinusTwo), kMinusTwo);
  EXPECT_EQ(after("global_fmin", kOne, kNan), kOne);
  EXPECT_EQ(after("global_fmin", 0, kMinusZero), kMinusZero);
  EXPECT_EQ(after("global_fmax", kMinusZero, 0), 0u);
  EXPECT_EQ(after("flat_fmax", kMinusTwo, kOne), kOne);
  EXPECT_EQ(after("buffer_fmin", kMinusTwo, kOne, 2), kMinusTwo);
  EXPECT_EQ(after_wide("global_fmin_x2", 3, 5e-310), std::bit_cast<uint64_t>(5e-310));
  EXPECT_EQ(after_wide("global_fmax_x2", -3, -4), std::bit_cast<uint64_t>(-3.0));
}

TEST_F(Rdna2Atomics, CompareSwapComparesFloats) {
  constexpr uint32_t kNan = 0x7fc00001, kMinusZero = 0x80000000;
  wave.vgpr[3][0] = 0;  // the compared value
  EXPECT_EQ(after("global_fcmpswap", kMinusZero, 7), 7u) << "zeros are equal";
  EXPECT_EQ(after("global_fcmpswap", 1, 7), 1u);
  wave.vgpr[3][0] = kNan;
  EXPECT_EQ(after("global_fcmpswap", kNan, 7), kNan) << "a NaN equals nothing";
  EXPECT_EQ(after_wide("global_fcmpswap_x2", -0.0, 5.0, 0.0), std::bit_cast<uint64_t>(5.0));
}

TEST_F(Rdna2Atomics, ClampedSubtractionStopsAtZero) {
  EXPECT_EQ(after("global_csub", 10, 3), 7u);
  EXPECT_EQ(after("global_csub", 10, 10), 0u);
  EXPECT_EQ(after("global_csub", 10, 0xffffffff), 0u);
  EXPECT_EQ(after("buffer_csub", 0xffffffff, 1, 2), 0xfffffffeu);
}

TEST_F(Rdna2Atomics, ALoadIntoLdsHasThirtyTwoDwords) {
  for (unsigned k = 0; k < 64; ++k) data[k] = 1000 + k;
  const std::vector<uint8_t> untouched(lds);
  wave.set_exec(0xffffffff);
  wave.sgpr[kM0] = 64;
  fill(0, [](unsigned lane) { return 4 * (31 - lane % 32); });
  run("load_to_lds");
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t there;
    std::memcpy(&there, &lds[64 + 4 + 4 * lane], 4);
    ASSERT_EQ(there, 1000 + 1 + 31 - lane);
  }
  EXPECT_TRUE(std::equal(lds.begin() + 68 + 128, lds.end(), untouched.begin() + 68 + 128));
}

TEST_F(Rdna2, LegacyProductsWithZeroAreZero) {
  constexpr uint32_t kInfinity = 0x7f800000, kMinusZero = 0x80000000, kThree = 0x40400000, kTwo = 0x40000000;
  for (const char* snippet : {"fma_legacy", "fmac_legacy"}) {
    fill(0, [](unsigned lane) { return lane == 0 ? 0 : lane == 1 ? kMinusZero : kTwo; });
    fill(1, [](unsigned lane) { return lane < 2 ? kInfinity : kThree; });
    fill(2, [](unsigned lane) { return lane == 1 ? kMinusZero : kThree; });
    run(snippet);
    EXPECT_EQ(wave.vgpr[2][0], kThree) << snippet;
    EXPECT_EQ(wave.vgpr[2][1], 0u) << snippet << ": the product is +0";
    EXPECT_EQ(wave.vgpr[2][2], 0x41100000u) << snippet;  // 2 * 3 + 3
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
