// Conversions of f32, f64 and integers against exact values.
#include <cmath>
#include <random>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/host_arithmetic.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

const double kValues[] = {0,
                          -0.0,
                          0.25,
                          0.5,
                          0.75,
                          0.99999994,
                          1,
                          1.5,
                          -0.5,
                          -0.75,
                          -1,
                          -1.5,
                          2.5,
                          3.5,
                          126.5,
                          255,
                          255.5,
                          256,
                          8388607.5,
                          16777215,
                          16777216,
                          2147483520,
                          2147483647,
                          2147483647.5,
                          2147483648.0,
                          2147483904.0,
                          4294967040.0,
                          4294967295.0,
                          4294967295.5,
                          4294967296.0,
                          1e20,
                          1e300,
                          -2147483648.0,
                          -2147483648.5,
                          -2147483649.0,
                          -2147483904.0,
                          -1e20,
                          -1e300,
                          1e-40,
                          INFINITY,
                          -INFINITY,
                          NAN};

uint32_t saturated_u32(double v) {
  return v != v || v <= 0 ? 0 : v >= 4294967296.0 ? ~0u : static_cast<uint32_t>(static_cast<uint64_t>(v));
}
uint32_t saturated_i32(double v) {
  return v != v               ? 0
         : v >= 2147483648.0  ? 0x7fffffffu
         : v <= -2147483648.0 ? 0x80000000u
                              : static_cast<uint32_t>(static_cast<int64_t>(v));
}

std::vector<double> values() {
  std::vector<double> all(std::begin(kValues), std::end(kValues));
  std::mt19937_64 random(71);
  for (int k = 0; k < 4000; ++k)
    all.push_back(std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -static_cast<int>(random() % 70)));
  return all;
}

TEST(VectorConvert, FloatsToIntegersTruncateAndSaturateAndNanIsZero) {
  const std::vector<double> all = values();
  TestWave t;
  for (size_t base = 0; base < all.size(); base += kLanes) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const double v = all[(base + l) % all.size()];
      t.set64(2, l, dbits(v));
      t.lane(1)[l] = fbits(static_cast<float>(v));
    }
    const std::pair<Op, Operand> ops[] = {{Op::v_cvt_u32_f32, vgpr(10)},
                                          {Op::v_cvt_i32_f32, vgpr(11)},
                                          {Op::v_cvt_flr_i32_f32, vgpr(12)},
                                          {Op::v_cvt_rpi_i32_f32, vgpr(13)}};
    for (const auto& [op, dst] : ops) ASSERT_TRUE(t.run(make(op, {dst}, {vgpr(1)})));
    ASSERT_TRUE(t.run(make(Op::v_cvt_u32_f64, {vgpr(14)}, {vgpr(2, 2)})));
    ASSERT_TRUE(t.run(make(Op::v_cvt_i32_f64, {vgpr(15)}, {vgpr(2, 2)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const float f = as_f32(t.lane(1)[l]);
      const double d = as_f64(t.get64(2, l));
      ASSERT_EQ(saturated_u32(f), t.lane(10)[l]) << f;
      ASSERT_EQ(saturated_i32(f), t.lane(11)[l]) << f;
      ASSERT_EQ(saturated_i32(std::floor(f)), t.lane(12)[l]) << f;
      ASSERT_EQ(saturated_i32(std::floor(f + 0.5f)), t.lane(13)[l]) << f;
      ASSERT_EQ(saturated_u32(d), t.lane(14)[l]) << d;
      ASSERT_EQ(saturated_i32(d), t.lane(15)[l]) << d;
    }
  }
}

// "(snorm)S0, (unorm)S0" of the ISA documents: the nearest of the steps that the type has in [-1, 1] or [0, 1].
uint32_t signed_norm(long double v) {
  if (std::isnan(v)) return 0;
  const long double bounded = v < -1 ? -1 : v > 1 ? 1 : v;
  return static_cast<uint16_t>(static_cast<int16_t>(std::nearbyint(bounded * 32767)));
}
uint32_t unsigned_norm(long double v) {
  if (std::isnan(v)) return 0;
  const long double bounded = v < 0 ? 0 : v > 1 ? 1 : v;
  return static_cast<uint16_t>(std::nearbyint(bounded * 65535));
}

TEST(VectorConvert, FloatsToNormsAreTheNearestStep) {
  std::vector<float> all = {0.0f, -0.0f,  0.5f,   -0.5f,   1.0f,     -1.0f,     1.0000001f, -1.0000001f,
                            2.0f, -3e38f, 1e-40f, -1e-40f, INFINITY, -INFINITY, NAN,        -NAN};
  std::mt19937_64 random(72);
  for (int step = 0; step < 3000; ++step) {  // on both sides of the middle between two steps
    const double middle = (static_cast<double>(random() % 65535) + 0.5) / (step % 2 ? 32767.0 : 65535.0);
    const float near = static_cast<float>(step % 4 < 2 ? middle : -middle);
    for (float v : {near, std::nextafter(near, 9.0f), std::nextafter(near, -9.0f)}) all.push_back(v);
  }
  TestWave t;
  for (size_t base = 0; base < all.size(); base += kLanes) {
    for (unsigned l = 0; l < kLanes; ++l) {
      t.lane(1)[l] = fbits(all[(base + l) % all.size()]);
      t.lane(2)[l] = fbits(all[(base + 7 * l + 1) % all.size()]);
    }
    ASSERT_TRUE(t.run(make(Op::v_cvt_pknorm_i16_f32, {vgpr(3)}, {vgpr(1), vgpr(2)})));
    ASSERT_TRUE(t.run(make(Op::v_cvt_pknorm_u16_f32, {vgpr(4)}, {vgpr(1), vgpr(2)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const float a = as_f32(t.lane(1)[l]), b = as_f32(t.lane(2)[l]);
      ASSERT_EQ(signed_norm(a) | signed_norm(b) << 16, t.lane(3)[l]) << a << ", " << b;
      ASSERT_EQ(unsigned_norm(a) | unsigned_norm(b) << 16, t.lane(4)[l]) << a << ", " << b;
    }
  }
}

TEST(VectorConvert, EveryHalfToNorms) {
  TestWave t;
  for (uint32_t base = 0; base < 0x10000; base += kLanes) {
    for (unsigned l = 0; l < kLanes; ++l) {
      t.lane(1)[l] = (base + l) | 0xabcd0000;
      t.lane(2)[l] = ((base + l) * 7919) & 0xffff;
    }
    ASSERT_TRUE(t.run(make(Op::v_cvt_norm_i16_f16, {vgpr(3)}, {vgpr(1)}, Encoding::kVop1)));
    ASSERT_TRUE(t.run(make(Op::v_cvt_norm_u16_f16, {vgpr(4)}, {vgpr(1)}, Encoding::kVop1)));
    ASSERT_TRUE(t.run(make(Op::v_cvt_pknorm_i16_f16, {vgpr(5)}, {vgpr(1), vgpr(2)})));
    ASSERT_TRUE(t.run(make(Op::v_cvt_pknorm_u16_f16, {vgpr(6)}, {vgpr(1), vgpr(2)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const double a = half_value(t.lane(1)[l] & 0xffff), b = half_value(t.lane(2)[l]);
      ASSERT_EQ(signed_norm(a), t.lane(3)[l]) << a;
      ASSERT_EQ(unsigned_norm(a), t.lane(4)[l]) << a;
      ASSERT_EQ(signed_norm(a) | signed_norm(b) << 16, t.lane(5)[l]) << a << ", " << b;
      ASSERT_EQ(unsigned_norm(a) | unsigned_norm(b) << 16, t.lane(6)[l]) << a << ", " << b;
    }
  }
}

TEST(VectorConvert, ByteOfADwordIsReplacedByTheNearestInteger) {
  const float values[] = {0.0f,   0.5f,       0.50000006f, 1.5f,   2.5f,   2.4999998f, 127.5f,   128.5f,
                          254.5f, 254.50002f, 255.0f,      255.5f, 256.0f, 1e30f,      INFINITY, -0.4f,
                          -0.5f,  -1.0f,      -INFINITY,   NAN,    1e-40f, 3.0f,       77.0f};
  const uint32_t nearest[] = {0, 0, 1, 2, 2, 2, 128, 128, 254, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 3, 77};
  constexpr unsigned kValueCount = std::size(values);
  TestWave t;
  for (unsigned byte = 0; byte < 8; ++byte) {
    for (unsigned l = 0; l < kLanes; ++l) {
      t.lane(1)[l] = fbits(values[l % kValueCount]);
      t.lane(2)[l] = byte | 0xfffffff8;  // two bits of it count
      t.lane(3)[l] = 0x11223344;
    }
    ASSERT_TRUE(t.run(make(Op::v_cvt_pk_u8_f32, {vgpr(4)}, {vgpr(1), vgpr(2), vgpr(3)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned at = 8 * (byte % 4);
      ASSERT_EQ((0x11223344 & ~(0xffu << at)) | nearest[l % kValueCount] << at, t.lane(4)[l])
          << values[l % kValueCount];
    }
  }
}

TEST(VectorConvert, IntegersToFloatsRoundByMode) {
  std::mt19937_64 random(73);
  for (unsigned mode = 0; mode < 4; ++mode) {
    TestWave t;
    t.wave.mode.round_f32 = static_cast<uint8_t>(mode);
    for (int round = 0; round < 100; ++round) {
      for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = static_cast<uint32_t>(random() >> (random() % 33));
      t.lane(1)[0] = 0x80000000, t.lane(1)[1] = 0xffffffff, t.lane(1)[2] = 0, t.lane(1)[3] = 0x01000001,
      t.lane(1)[4] = 0xffffff80;
      ASSERT_TRUE(t.run(make(Op::v_cvt_f32_u32, {vgpr(2)}, {vgpr(1)})));
      ASSERT_TRUE(t.run(make(Op::v_cvt_f32_i32, {vgpr(3)}, {vgpr(1)})));
      ASSERT_TRUE(t.run(make(Op::v_cvt_f64_u32, {vgpr(4, 2)}, {vgpr(1)})));
      ASSERT_TRUE(t.run(make(Op::v_cvt_f64_i32, {vgpr(6, 2)}, {vgpr(1)})));
      for (unsigned l = 0; l < kLanes; ++l) {
        const uint32_t v = t.lane(1)[l];
        HostRounding scope(mode);
        volatile double u = v, i = static_cast<int32_t>(v);
        volatile float fu = static_cast<float>(u), fi = static_cast<float>(i);
        ASSERT_EQ(fbits(fu), t.lane(2)[l]) << std::hex << v << " mode " << mode;
        ASSERT_EQ(fbits(fi), t.lane(3)[l]) << std::hex << v << " mode " << mode;
        ASSERT_EQ(dbits(u), t.get64(4, l));
        ASSERT_EQ(dbits(i), t.get64(6, l));
      }
    }
  }
}

TEST(VectorConvert, BetweenSingleAndDoubleRoundsFlushesAndKeepsNanPayloads) {
  std::mt19937_64 random(79);
  for (unsigned mode = 0; mode < 4; ++mode) {
    for (unsigned denormals : {0u, 1u, 2u, 3u}) {
      TestWave t;
      t.wave.mode.round_f32 = static_cast<uint8_t>(mode);
      t.wave.mode.denorm_f32 = static_cast<uint8_t>(denormals);
      for (int round = 0; round < 100; ++round) {
        for (unsigned l = 0; l < kLanes; ++l) {
          t.lane(1)[l] = static_cast<uint32_t>(random());
          const int e = static_cast<int>(random() % 300) - 160;
          t.set64(2, l, dbits(std::ldexp(as_f64(0x3ff0000000000000 | (random() & 0x800fffffffffffff)), e)));
        }
        t.lane(1)[0] = 1, t.lane(1)[1] = 0x7f812345;
        t.set64(2, 0, 0x7ff0000020000000), t.set64(2, 1, 0xfff8000040000000);
        ASSERT_TRUE(t.run(make(Op::v_cvt_f64_f32, {vgpr(4, 2)}, {vgpr(1)})));
        ASSERT_TRUE(t.run(make(Op::v_cvt_f32_f64, {vgpr(6)}, {vgpr(2, 2)})));
        EXPECT_EQ(denormals & 1 ? dbits(0x1p-149) : 0, t.get64(4, 0));
        EXPECT_EQ(0x7ff8000000000000 | (0x012345ull << 29), t.get64(4, 1));
        EXPECT_EQ(0x7fc00001u, t.lane(6)[0]);
        EXPECT_EQ(0xffc00002u, t.lane(6)[1]);
        for (unsigned l = 2; l < kLanes; ++l) {
          HostRounding scope(mode);
          volatile double d = as_f64(t.get64(2, l));
          volatile float f = static_cast<float>(d);
          uint32_t expected = fbits(f);
          if (!(denormals & 2) && (expected & 0x7f800000) == 0) expected &= 0x80000000;
          ASSERT_EQ(expected, t.lane(6)[l]) << std::hexfloat << d;
        }
      }
    }
  }
}

TEST(VectorConvert, BytesAndNibblesBecomeFloats) {
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = 0x04030201u * (l + 3);
  const Op bytes[] = {Op::v_cvt_f32_ubyte0, Op::v_cvt_f32_ubyte1, Op::v_cvt_f32_ubyte2, Op::v_cvt_f32_ubyte3};
  for (unsigned k = 0; k < 4; ++k) {
    ASSERT_TRUE(t.run(make(bytes[k], {vgpr(2)}, {vgpr(1)})));
    for (unsigned l = 0; l < kLanes; ++l)
      EXPECT_EQ(static_cast<float>((t.lane(1)[l] >> (8 * k)) & 0xff), as_f32(t.lane(2)[l]));
  }
  for (unsigned l = 0; l < 16; ++l) t.lane(1)[l] = l | 0xff0;
  ASSERT_TRUE(t.run(make(Op::v_cvt_off_f32_i4, {vgpr(2)}, {vgpr(1)})));
  for (unsigned l = 0; l < 16; ++l)
    EXPECT_EQ((l < 8 ? static_cast<int>(l) : static_cast<int>(l) - 16) / 16.0f, as_f32(t.lane(2)[l]));
}

TEST(VectorConvert, PackTakesHalvesWithTheirModifiers) {
  TestWave t;
  t.fill(1, 0x40003c00);
  t.fill(2, 0x44004200);
  Instruction i = make(Op::v_pack_b32_f16, {vgpr(3)}, {vgpr(1), negated(vgpr(2))});
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ(0xc2003c00u, t.lane(3)[0]);
  i.op_sel = 3;
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ(0xc4004000u, t.lane(3)[0]);
}

}  // namespace
}  // namespace kernloop::softgpu::vector
