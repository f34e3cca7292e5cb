// Differences of gfx1100 from gfx1030: two operations in one, halves of registers, matrices.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "softgpu/engine/tests/lone_wave.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kUntouchedOfRdna3 = 0x5555aaaa;

class Rdna3 : public LoneWave, public ::testing::Test {
 protected:
  explicit Rdna3(const char* snippets = KERNLOOP_TEST_RDNA3_WAVE32, Target of = kGfx1100) : LoneWave(snippets, of) {
    for (unsigned row = 0; row < 32; ++row) {
      for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[row][lane] = kUntouchedOfRdna3;
    }
    for (unsigned k = 0; k < 16; ++k) wave.sgpr[k] = kUntouchedOfRdna3;
    wave.flat_scratch = kScratchWaveBase;
  }
  template <typename F>
  void fill(unsigned row, F&& value) {
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[row][lane] = value(lane);
  }
  void fill_floats(unsigned row, float first) {
    fill(row, [&](unsigned lane) { return std::bit_cast<uint32_t>(first + static_cast<float>(lane)); });
  }
  float real(unsigned row, unsigned lane) const { return std::bit_cast<float>(wave.vgpr[row][lane]); }
};
class Rdna3Wave64 : public Rdna3 {
 protected:
  Rdna3Wave64() : Rdna3(KERNLOOP_TEST_RDNA3_WAVE64, kGfx1100Wave64) {}
};

TEST_F(Rdna3, TwoOperationsReadTheirSourcesBeforeEitherWrites) {
  wave.set_exec(0xfffffff0);
  const auto reset = [&] {
    for (unsigned row = 0; row < 5; ++row) fill_floats(row, 1.0f + 10.0f * static_cast<float>(row));
  };
  const auto first = [](unsigned row, unsigned lane) {
    return 1.0f + 10.0f * static_cast<float>(row) + static_cast<float>(lane);
  };
  reset();
  run("dual_swap");
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool active = lane >= 4;
    EXPECT_EQ(real(0, lane), first(active ? 1 : 0, lane));
    EXPECT_EQ(real(1, lane), first(active ? 0 : 1, lane));
  }
  reset();
  run("dual_first_reads_second");
  EXPECT_EQ(real(2, 9), first(1, 9) + first(3, 9));
  EXPECT_EQ(real(1, 9), first(0, 9) * first(4, 9));
  reset();
  run("dual_second_reads_first");
  EXPECT_EQ(real(2, 9), first(0, 9) * first(4, 9));
  EXPECT_EQ(real(1, 9), first(2, 9) + first(3, 9));
  reset();
  run("dual_accumulators");
  EXPECT_EQ(real(2, 9), std::fma(first(3, 9), first(0, 9), first(2, 9)));
  EXPECT_EQ(real(3, 9), std::fma(first(2, 9), first(1, 9), first(3, 9)));
  EXPECT_EQ(real(2, 3), first(2, 3));
  EXPECT_EQ(real(3, 3), first(3, 3));
}

TEST_F(Rdna3, EachOfTwoOperationsIsWhatItIsAlone) {
  for (unsigned row = 0; row < 5; ++row) fill_floats(row, 1.0f + static_cast<float>(row));
  run("dual_literal");
  EXPECT_EQ(real(2, 7), std::fma(8.0f, 9.0f, 3.0f));
  EXPECT_EQ(real(3, 7), std::fma(9.0f, 3.0f, 12.0f));
  fill(0, [](unsigned lane) { return lane; });
  fill(1, [](unsigned lane) { return 0x100 + lane; });
  fill(4, [](unsigned lane) { return 7 * lane; });
  wave.set_vcc(0xffffffff'0000ff00);
  run("dual_choose");
  EXPECT_EQ(wave.vgpr[2][7], 7u);
  EXPECT_EQ(wave.vgpr[2][8], 0x108u);
  EXPECT_EQ(wave.vgpr[3][8], 7u * 8 * 16);
  run("dual_and");
  EXPECT_EQ(wave.vgpr[2][8], 8u);
  EXPECT_EQ(wave.vgpr[3][8], 8u);
  run("dual_add");
  EXPECT_EQ(wave.vgpr[3][8], 0x108u + 56);
}

TEST_F(Rdna3, HalvesAreReadAndWrittenWhereTheyAreNamedAndTheOthersStay) {
  fill(0, [](unsigned) { return 0x4000'3c00u; });  // 2, 1
  fill(1, [](unsigned) { return 0x4500'4400u; });  // 5, 4
  run("half_add_to_low");
  EXPECT_EQ(wave.vgpr[2][3], 0x5555'4600u);  // 2 + 4
  run("half_add_to_high");
  EXPECT_EQ(wave.vgpr[2][3], 0x4600'4600u);  // 1 + 5
  run("half_fmac_high");
  EXPECT_EQ(wave.vgpr[2][3], 0x4980'4600u);  // 6 + 1 * 5
  run("half_move_high");
  EXPECT_EQ(wave.vgpr[2][3], 0x3c00'4600u);
  run("half_long");
  EXPECT_EQ(wave.vgpr[2][3], 0x4000'4600u);
  fill(0, [](unsigned) { return std::bit_cast<uint32_t>(3.0f); });
  run("half_convert_high");
  EXPECT_EQ(wave.vgpr[2][3], 0x4200'4600u);
}

TEST_F(Rdna3, HalvesAreComparedChosenExtendedAndSwapped) {
  fill(0, [](unsigned lane) { return 0x8001'0000u + lane; });
  fill(1, [](unsigned lane) { return 0x1234'0000u + (lane < 4 ? 0x9000u : 0x7000u); });
  wave.set_vcc(0);
  run("half_compare");
  EXPECT_EQ(wave.sgpr[kVcc], 0xfu);
  wave.sgpr[4] = 0x2;
  run("half_choose");
  EXPECT_EQ(wave.vgpr[2][1], 0x1234'aaaau);
  EXPECT_EQ(wave.vgpr[2][2], 0x0002'aaaau);
  run("half_extend");
  EXPECT_EQ(wave.vgpr[2][2], 0xffff8001u);
  wave.set_exec(1u << 5);
  run("half_swap");
  EXPECT_EQ(wave.vgpr[0][5], 0x7000'0005u);
  EXPECT_EQ(wave.vgpr[1][5], 0x1234'8001u);
  EXPECT_EQ(wave.vgpr[0][6], 0x8001'0006u);
  wave.set_exec(0xffffffff);
  fill(0, [](unsigned) { return 0x3c00'0000u; });
  fill(1, [](unsigned lane) { return lane == 9 ? 0x0000'bc00u : 0u; });
  run("half_compare_long");
  EXPECT_EQ(wave.sgpr[4], 1u << 9);
}

TEST_F(Rdna3, LongFormsTakeTheirFirstSourceFromOtherLanes) {
  fill(0, [](unsigned lane) { return 100 + lane; });
  fill(1, [](unsigned lane) { return lane; });
  run("share");
  EXPECT_EQ(wave.vgpr[2][3], 108u);
  EXPECT_EQ(wave.vgpr[2][19], 140u);  // from its own row
  fill(1, [](unsigned lane) { return 100 + (lane & 16) + (lane + 15) % 16; });
  wave.sgpr[4] = 0;
  run("compare_dpp");
  EXPECT_EQ(wave.sgpr[4], 0xffffffffu);
  EXPECT_EQ(fault_kind("compare_dpp_that_skips"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Rdna3Wave64, HalvesOfAWaveAreExchangedInactiveLanesToo) {
  fill(0, [](unsigned lane) { return lane; });
  wave.set_exec(0x00000000'0000000full);
  run("exchange_halves");
  EXPECT_EQ(wave.vgpr[2][3], 35u);
  EXPECT_EQ(wave.vgpr[2][4], kUntouchedOfRdna3);
  EXPECT_EQ(wave.vgpr[2][35], kUntouchedOfRdna3);
}
TEST_F(Rdna3, ANarrowWaveHasNoOtherHalf) {
  run("exchange_halves");
  EXPECT_EQ(wave.vgpr[2][3], kUntouchedOfRdna3);
}

TEST_F(Rdna3, NewOperations) {
  fill(0, [](unsigned lane) { return lane; });
  fill(1, [](unsigned) { return 10u; });
  fill(3, [](unsigned) { return 20u; });
  run("max_min");
  EXPECT_EQ(wave.vgpr[2][3], 10u);
  EXPECT_EQ(wave.vgpr[2][30], 20u);
  run("min_max");
  EXPECT_EQ(wave.vgpr[2][3], 20u);
  for (const auto& [row, value] : {std::pair{0u, NAN}, {1u, -0.0f}, {3u, 0.0f}})
    fill(row, [&](unsigned) { return std::bit_cast<uint32_t>(value); });
  run("max_min_float");
  EXPECT_EQ(wave.vgpr[2][3], 0x80000000u);
  fill(0, [](unsigned) { return 0xff'02'03'80u; });
  fill(1, [](unsigned) { return 0xff'02'03'80u; });
  fill(3, [](unsigned) { return 5u; });
  run("dot_signs");  // -1 * 255 + 2 * 2 + 3 * 3 - 128 * 128 + 5
  EXPECT_EQ(static_cast<int32_t>(wave.vgpr[2][3]), -255 + 4 + 9 - 128 * 128 + 5);
  fill(0, [](unsigned) { return 0xf0000001u; });
  fill(1, [](unsigned) { return 0x70000001u; });
  fill(3, [](unsigned) { return 0x7ffffff0u; });
  run("dot_nibbles");  // 15 * 7 + 1, which saturates
  EXPECT_EQ(wave.vgpr[2][3], 0x7fffffffu);
  wave.sgpr[0] = 0x1234'5678;
  wave.sgpr[1] = 0x9abc'def0;
  run("pack_high_low");
  EXPECT_EQ(wave.sgpr[4], 0xdef0'1234u);
}

// The value to store comes first: the other way round, nothing would be stored.
TEST_F(Rdna3, CompareAndStoreTakesTheNewValueFirst) {
  for (unsigned k = 0; k < 32; ++k) reinterpret_cast<uint32_t*>(lds.data())[k] = k;
  fill(0, [](unsigned lane) { return 4 * lane; });
  fill(1, [](unsigned lane) { return 1000 + lane; });
  fill(2, [](unsigned lane) { return lane == 7 ? 99u : lane; });
  run("compare_and_store");
  EXPECT_EQ(wave.vgpr[3][6], 6u);
  EXPECT_EQ(reinterpret_cast<uint32_t*>(lds.data())[6], 1006u);
  EXPECT_EQ(reinterpret_cast<uint32_t*>(lds.data())[7], 7u);
}

// Small integers, halved in A: exact in any order. A in v0 to v7, B in v8 to v15, C in v16 on, D from v24 on.
class Matrices {
 public:
  Matrices(WaveSlot& wave, unsigned lanes) : wave_(wave), groups_(lanes / 16) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned k = 0; k < 16; k += 2) {
        wave.vgpr[k / 2][lane] = half(a(lane % 16, k), 1) | half(a(lane % 16, k + 1), 1) << 16;
        wave.vgpr[8 + k / 2][lane] = half(b(k, lane % 16)) | half(b(k + 1, lane % 16)) << 16;
      }
    }
  }
  static int a(unsigned i, unsigned k) { return static_cast<int>(i * 7 + k * 3) % 11 - 5; }
  static int b(unsigned k, unsigned j) { return static_cast<int>(k * 5 + j * 2) % 13 - 6; }
  static int c(unsigned i, unsigned j) { return static_cast<int>(i * 16 + j); }
  // Twice what the result is.
  static int d(unsigned i, unsigned j) {
    int sum = 2 * c(i, j);
    for (unsigned k = 0; k < 16; ++k) sum += a(i, k) * b(k, j);
    return sum;
  }
  // value / 2^shift
  static uint32_t half(int value, unsigned shift = 0) {
    if (value == 0) return 0;
    const auto magnitude = static_cast<unsigned>(std::abs(value));
    const auto exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
    return (value < 0 ? 0x8000u : 0u) | (exponent + 15 - shift) << 10 | (magnitude << 10 >> exponent & 0x3ff);
  }
  uint32_t& sum(unsigned first, unsigned i, unsigned j) {
    return wave_.vgpr[first + i / groups_][i % groups_ * 16 + j];
  }

 private:
  WaveSlot& wave_;
  unsigned groups_;
};

void expect_products(LoneWave& lone, unsigned lanes) {
  Matrices matrices(lone.wave, lanes);
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j)
      matrices.sum(16, i, j) = std::bit_cast<uint32_t>(static_cast<float>(Matrices::c(i, j)));
  }
  lone.run("multiply_matrices");
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j)
      ASSERT_EQ(std::bit_cast<float>(matrices.sum(24, i, j)), static_cast<float>(Matrices::d(i, j)) / 2)
          << i << ", " << j;
  }
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j) {
      matrices.sum(16, i, j) = Matrices::half(Matrices::c(i, j)) << 16 | 0x7bff;
      matrices.sum(24, i, j) = 0xdead'beef;
    }
  }
  lone.run("multiply_high_halves");
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j)
      ASSERT_EQ(matrices.sum(24, i, j), Matrices::half(Matrices::d(i, j), 1) << 16 | 0xbeef) << i << ", " << j;
  }
}

TEST_F(Rdna3, MatricesAreMultiplied) {
  expect_products(*this, 32);
}
TEST_F(Rdna3Wave64, MatricesAreMultiplied) {
  expect_products(*this, 64);
}

TEST_F(Rdna3, MatricesAreRefusedWhereHardwareIsNotDocumented) {
  const Matrices matrices(wave, 32);
  wave.set_exec(0x7fffffff);
  const auto inactive = try_run("multiply_matrices");
  ASSERT_TRUE(inactive);
  EXPECT_EQ(inactive->kind, Fault::Kind::kUnsupportedInstruction);
  EXPECT_NE(inactive->detail.find("inactive lanes"), std::string::npos) << inactive->detail;
  wave.set_exec(0xffffffff);
  wave.vgpr[9][17] ^= 1;
  const auto other = try_run("multiply_matrices");
  ASSERT_TRUE(other);
  EXPECT_NE(other->detail.find("matrix B of which lane 17"), std::string::npos) << other->detail;
  EXPECT_EQ(fault_kind("multiply_to_brain_floats"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Rdna3, FlatScratchIsTheHardwares) {
  run("get_flat_scratch");
  EXPECT_EQ(wave.sgpr[4], static_cast<uint32_t>(kScratchWaveBase));
  EXPECT_EQ(fault_kind("set_flat_scratch"), Fault::Kind::kUnsupportedInstruction);
  fill(0, [](unsigned lane) { return 4 * (lane & 3); });
  fill(1, [](unsigned lane) { return 1000 + lane; });
  wave.sgpr[0] = 16;
  run("scratch_store");
  run("scratch_load");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(wave.vgpr[2][lane], 1000 + lane);
}

// RDNA3 ISA, "Buffer resource descriptor": SWIZZLE_ENABLE is word 1 [31:30], OOB_SELECT word 3 [29:28].
TEST_F(Rdna3, BuffersAreCheckedByTheirDescriptor) {
  Array<uint32_t> data{space, 64, "data"};
  for (unsigned k = 0; k < 64; ++k) data[k] = 100 + k;
  const auto describe = [&](uint32_t stride, uint32_t swizzle, uint32_t records, uint32_t select) {
    wave.set_sgpr64(0, data.address() | uint64_t{stride} << 48 | uint64_t{swizzle} << 62);
    wave.set_sgpr64(2, records | uint64_t{select} << 60);
  };
  const auto refused = [&](const std::string& snippet, const std::string& what) {
    const auto fault = try_run(snippet);
    return fault && fault->kind == Fault::Kind::kUnsupportedInstruction &&
           fault->detail.find(what) != std::string::npos;
  };
  fill(0, [](unsigned lane) { return 4 * lane; });
  describe(0, 0, 64, 3);
  run("load_by_offset");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(wave.vgpr[2][lane], lane < 16 ? 100 + lane : 0);
  for (uint32_t swizzle = 1; swizzle < 4; ++swizzle) {
    describe(0, swizzle, 64, 3);
    EXPECT_TRUE(refused("load_by_offset", "swizzled")) << swizzle;
  }
  for (uint32_t select = 0; select < 3; ++select) {
    describe(0, 0, 64, select);
    EXPECT_TRUE(refused("load_by_offset", "OOB_SELECT " + std::to_string(select) + " for an access by offset"));
  }
  fill(0, [](unsigned lane) { return lane; });
  fill(1, [](unsigned lane) { return 4 * (lane & 1); });
  for (uint32_t select : {0u, 1u}) {
    describe(12, 0, 8, select);
    run("load_by_index");
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(wave.vgpr[2][lane], lane < 8 ? 100 + 3 * lane + (lane & 1) : 0) << select;
  }
  describe(8, 0, 8, 1);
  run("load_by_index");
  EXPECT_EQ(wave.vgpr[3][1], 104u) << "beyond the stride, which is not checked";
  for (uint32_t select : {0u, 2u, 3u}) {
    describe(8, 0, 8, select);
    EXPECT_TRUE(refused("load_by_index", "for an access by index")) << select;
  }
}

TEST_F(Rdna3, LanesArePermutedByConstants) {
  fill(0, [](unsigned lane) { return 7 * lane; });
  run("permute_with_constants");
  EXPECT_EQ(wave.vgpr[2][0], 7u);
  EXPECT_EQ(wave.vgpr[2][1], 0u);
  EXPECT_EQ(wave.vgpr[2][20], 7u * 16);
}

TEST_F(Rdna3, MessagesAreKnownOrRefused) {
  run("real_time");
  EXPECT_EQ(wave.sgpr[5], 0u);
  EXPECT_EQ(fault_kind("doorbell"), Fault::Kind::kUnsupportedInstruction);
  run("waits");
}

}  // namespace
}  // namespace kernloop::softgpu::testing
