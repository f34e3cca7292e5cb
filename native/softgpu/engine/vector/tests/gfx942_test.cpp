// Vector instructions that gfx942 has beyond gfx90a's, except for matrices (mfma_test.cpp), against plain host
// arithmetic.
#include <cmath>
#include <random>

#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

// By the definition of the formats: neither infinities nor -0, whose place NaN has; a bias one more than IEEE's.
double float8_value(uint32_t code, int mantissa_bits) {
  if (code == 0x80) return std::nan("");
  const int bias = 1 << (6 - mantissa_bits), exponent = static_cast<int>(code & 0x7f) >> mantissa_bits;
  const double fraction = std::ldexp(code & ((1u << mantissa_bits) - 1), -mantissa_bits);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return code & 0x80 ? -magnitude : magnitude;
}

void expect_float(double expected, uint32_t there, uint32_t code) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(as_f32(there))) << code;
  } else {
    EXPECT_EQ(fbits(static_cast<float>(expected)), there) << code;
  }
}

TEST(VectorGfx942, EveryFloatOf8BitsBecomesItsValue) {
  struct Case {
    Op one, two;
    int mantissa_bits;
  };
  for (const Case& c :
       {Case{Op::v_cvt_f32_fp8, Op::v_cvt_pk_f32_fp8, 3}, Case{Op::v_cvt_f32_bf8, Op::v_cvt_pk_f32_bf8, 2}}) {
    for (uint32_t first = 0; first < 256; first += kLanes) {
      TestWave t;
      t.scribble();
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        t.lane(0)[lane] = 0xabcd0000 | (255 - first - lane) << 8 | (first + lane);
      ASSERT_TRUE(t.run(make(c.one, {vgpr(2)}, {vgpr(0)}, Encoding::kVop1)));
      ASSERT_TRUE(t.run(make(c.two, {vgpr(4, 2)}, {vgpr(0)}, Encoding::kVop1)));
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        expect_float(float8_value(first + lane, c.mantissa_bits), t.lane(2)[lane], first + lane);
        expect_float(float8_value(first + lane, c.mantissa_bits), t.lane(4)[lane], first + lane);
        expect_float(float8_value(255 - first - lane, c.mantissa_bits), t.lane(5)[lane], 255 - first - lane);
      }
    }
  }
  // Largest values of the two formats: 240 and 57344.
  EXPECT_EQ(240, float8_value(0x7f, 3));
  EXPECT_EQ(57344, float8_value(0x7f, 2));
}

TEST(VectorGfx942, SumsAndMovesOf64Bits) {
  std::mt19937_64 random(5);
  for (uint32_t shift = 0; shift < 8; ++shift) {
    TestWave t;
    t.scribble();
    uint64_t a[kLanes], b[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      a[lane] = random(), b[lane] = random();
      t.lane(0)[lane] = static_cast<uint32_t>(a[lane]), t.lane(1)[lane] = static_cast<uint32_t>(a[lane] >> 32);
      t.lane(2)[lane] = static_cast<uint32_t>(b[lane]), t.lane(3)[lane] = static_cast<uint32_t>(b[lane] >> 32);
    }
    ASSERT_TRUE(
        t.run(make(Op::v_lshl_add_u64, {vgpr(4, 2)}, {vgpr(0, 2), constant(shift), vgpr(2, 2)}, Encoding::kVop3)));
    ASSERT_TRUE(t.run(make(Op::v_mov_b64, {vgpr(6, 2)}, {vgpr(2, 2)}, Encoding::kVop1)));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      EXPECT_EQ((a[lane] << shift) + b[lane], t.lane(4)[lane] | uint64_t{t.lane(5)[lane]} << 32);
      EXPECT_EQ(b[lane], t.lane(6)[lane] | uint64_t{t.lane(7)[lane]} << 32);
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::vector
