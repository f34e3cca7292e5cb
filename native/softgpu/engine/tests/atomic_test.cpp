// Atomics of vector memory instructions against host arithmetic.
#include "softgpu/engine/tests/memory_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

const std::vector<std::pair<std::string, Oracle32>>& integer_atomics() {
  static const std::vector<std::pair<std::string, Oracle32>> table = {
      {"swap", [](u32, u32 d) { return d; }},
      {"add", [](u32 m, u32 d) { return m + d; }},
      {"sub", [](u32 m, u32 d) { return m - d; }},
      {"smin", [](u32 m, u32 d) { return u32(std::min(i32(m), i32(d))); }},
      {"umin", [](u32 m, u32 d) { return std::min(m, d); }},
      {"smax", [](u32 m, u32 d) { return u32(std::max(i32(m), i32(d))); }},
      {"umax", [](u32 m, u32 d) { return std::max(m, d); }},
      {"and", [](u32 m, u32 d) { return m & d; }},
      {"or", [](u32 m, u32 d) { return m | d; }},
      {"xor", [](u32 m, u32 d) { return m ^ d; }},
      {"inc", [](u32 m, u32 d) { return m < d ? m + 1 : 0; }},
      {"dec", [](u32 m, u32 d) { return m != 0 && m <= d ? m - 1 : d; }},
  };
  return table;
}

TEST_F(Memory, AtomicsReturnTheOldValueAndLeaveTheNew) {
  // Lane k: memory value k / 9, data value k % 9 (all pairs fit twice over).
  for (unsigned round = 0; round < 2; ++round) {
    const auto pair = [&](unsigned lane) {
      const unsigned k = (lane + round * 40) % 81;
      return std::make_pair(kValues[k / 9], kValues[k % 9]);
    };
    for (const auto& [op, oracle] : integer_atomics()) {
      for (const std::string kind : {"global", "flat", "buffer"}) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const auto [memory, operand] = pair(lane);
          std::memcpy(&data[lane * 8], &memory, 4);
          set_vector64(0, lane, kind == "buffer" ? lane * 8 : data.address() + lane * 8);
          wave.vgpr[2][lane] = operand;
        }
        wave.set_sgpr64(0, data.address());
        wave.set_sgpr64(2, kBytes);
        run(kind + "_atomic_" + op);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const auto [memory, operand] = pair(lane);
          ASSERT_EQ(wave.vgpr[kind == "buffer" ? 2 : 8][lane], memory) << kind << op;
          ASSERT_EQ(take<u32>(&data[lane * 8]), oracle(memory, operand))
              << kind << op << std::hex << " " << memory << " " << operand;
        }
        EXPECT_EQ(counters.atomics, 1u);
      }
    }
  }
}

TEST_F(Memory, LanesOfOneAtomicAddUp) {
  std::memset(&data[0], 0, 8);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(0, lane, data.address());
    wave.vgpr[2][lane] = lane;
  }
  wave.set_exec(~u64{1});
  run("global_atomic_add_no_return");
  EXPECT_EQ(take<u32>(&data[0]), 63u * 64 / 2);
  EXPECT_EQ(wave.vgpr[8][5], kUntouched) << "nothing is returned without glc";
  run("global_atomic_add");
  EXPECT_EQ(wave.vgpr[8][1], 2016u);
  EXPECT_EQ(wave.vgpr[8][3], 2016u + 1 + 2);
}

// In ascending order of lanes.
TEST_F(Memory, LanesOfOnePlaceFollowEachOther) {
  for (const u64 lanes : {~u64{0}, u64{0x8000f00ff0000010}, u64{1} << 40}) {
    for (const auto& [op, oracle] : integer_atomics()) {
      for (const std::string suffix : {"", "_no_return"}) {
        if (!suffix.empty() && op != "add") continue;
        const auto operand = [](unsigned lane) { return kValues[lane % 9] + lane; };
        u32 memory = kValues[4];
        std::memcpy(&data[0], &memory, 4);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          set_vector64(0, lane, lanes >> lane & 1 ? data.address() : 0);
          wave.vgpr[2][lane] = operand(lane);
          wave.vgpr[8][lane] = kUntouched;
        }
        wave.set_exec(lanes);
        run("global_atomic_" + op + suffix);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const bool is_active = lanes >> lane & 1;
          ASSERT_EQ(wave.vgpr[8][lane], is_active && suffix.empty() ? memory : kUntouched) << op << lane;
          if (is_active) memory = oracle(memory, operand(lane));
        }
        ASSERT_EQ(take<u32>(&data[0]), memory) << op;
      }
    }
  }
}

TEST_F(Memory, SixtyFourBitAtomicsCarryAcrossTheHalves) {
  const u64 memory = 0x00000000ffffffff, operand = 0x8000000000000001;
  const std::vector<std::pair<std::string, u64>> table = {
      {"add", memory + operand}, {"sub", memory - operand}, {"smin", operand},   {"umin", memory},
      {"smax", memory},          {"umax", operand},         {"and", 1},          {"or", memory | operand},
      {"xor", memory ^ operand}, {"inc", memory + 1},       {"dec", memory - 1}, {"swap", operand}};
  for (const auto& [op, expected] : table) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::memcpy(&data[lane * 8], &memory, 8);
      set_vector64(0, lane, data.address() + lane * 8);
      set_vector64(2, lane, operand);
    }
    run("global_atomic_" + op + "_x2");
    EXPECT_EQ(take<u64>(&data[17 * 8]), expected) << op;
    EXPECT_EQ(vector64(8, 17), memory) << op;
  }
}

TEST_F(Memory, CompareAndSwapStoresTheFirstOperandWhenTheSecondMatches) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u64 memory = 100 + lane % 2;
    std::memcpy(&data[lane * 8], &memory, 8);
    set_vector64(0, lane, data.address() + lane * 8);
    wave.vgpr[2][lane] = 7;
    wave.vgpr[3][lane] = 101;
  }
  run("global_atomic_cmpswap");
  EXPECT_EQ(take<u32>(&data[0]), 100u);
  EXPECT_EQ(take<u32>(&data[8]), 7u);
  EXPECT_EQ(wave.vgpr[8][1], 101u);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(2, lane, 0x1122334455667788);
    set_vector64(4, lane, 100);
  }
  run("global_atomic_cmpswap_x2");
  EXPECT_EQ(take<u64>(&data[0]), 0x1122334455667788u);
  EXPECT_EQ(take<u64>(&data[8]), 7u);
}

TEST_F(Memory, FloatAtomicsRoundAndTreatDenormalsAsTheHardwareDoes) {
  struct Row {
    float memory, operand, sum;
  };
  const Row rows[] = {{1.5f, 2.25f, 3.75f},        {1e30f, -1e30f, 0.0f},  {16777216.0f, 1.0f, 16777216.0f},
                      {-0.0f, -0.0f, -0.0f},       {1e-40f, 1e-40f, 0.0f},  // denormal operands are flushed
                      {1.5e-38f, -1.4e-38f, 0.0f},                          // denormal results, too
                      {3e38f, 3e38f, HUGE_VALF}};
  for (const Row& row : rows) {
    std::memcpy(&data[0], &row.memory, 4);
    set_vector64(0, 0, data.address());
    wave.vgpr[2][0] = bits(row.operand);
    wave.set_exec(1);
    run("global_atomic_add_f32");
    EXPECT_EQ(take<u32>(&data[0]), bits(row.sum)) << row.memory << " + " << row.operand;
    EXPECT_EQ(wave.vgpr[8][0], bits(row.memory));
  }
  // infinity - infinity is the positive quiet NaN, unlike x86's
  std::memcpy(&data[0], std::vector<u32>{0x7f800000}.data(), 4);
  wave.vgpr[2][0] = 0xff800000;
  run("global_atomic_add_f32");
  EXPECT_EQ(take<u32>(&data[0]), 0x7fc00000u);

  for (const auto& [op, expected] :
       std::vector<std::pair<std::string, double>>{{"add", 5e-310 - 3.0}, {"min", -3.0}, {"max", 5e-310}}) {
    const double memory = 5e-310;
    std::memcpy(&data[0], &memory, 8);
    set_vector64(2, 0, bits(-3.0));
    run("global_atomic_" + op + "_f64");
    EXPECT_EQ(take<u64>(&data[0]), bits(expected)) << op;
  }
  const double nan = NAN;
  std::memcpy(&data[0], &nan, 8);
  run("global_atomic_max_f64");
  EXPECT_EQ(take<double>(&data[0]), -3.0) << "a number wins over a NaN";
}

TEST_F(Memory, PackedHalvesAddIndependently) {
  struct Row {
    u32 memory, operand, sum;
  };
  const Row rows[] = {{0x3c004000, 0x3c003800, 0x40004100},   // 1 + 1 = 2, 2 + 0.5 = 2.5
                      {0x7bff7bff, 0x7bff0000, 0x7c007bff},   // overflow to infinity
                      {0x00010001, 0x00018001, 0x00020000},   // denormals are kept
                      {0x68006801, 0x3c003c00, 0x68006802},   // ties go to even: 2048 + 1, 2050 + 1
                      {0x7c007e01, 0xfc003c00, 0x7e007e01}};  // inf - inf, NaN
  for (const Row& row : rows) {
    std::memcpy(&data[0], &row.memory, 4);
    set_vector64(0, 0, data.address());
    wave.vgpr[2][0] = row.operand;
    wave.set_exec(1);
    run("global_atomic_pk_add_f16");
    EXPECT_EQ(take<u32>(&data[0]), row.sum) << std::hex << row.memory << " + " << row.operand;
  }
}

TEST_F(Memory, AtomicsNeedNaturalAlignment) {
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, data.address() + lane * 8 + (lane == 3 ? 4 : 0));
  run("global_atomic_add");
  const std::optional<WaveFault> fault = try_run("global_atomic_add_x2");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::kMisaligned);
  EXPECT_EQ(fault->lane, 3);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
