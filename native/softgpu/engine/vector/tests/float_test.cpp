// Single and double precision: arithmetic under every rounding and denormal mode against the host's, NaN rules,
// minimum, maximum and median against the ISA's if-chains, rounding to integers, ldexp and frexp.
#include <functional>
#include <random>

#include "softgpu/engine/vector/tests/host_arithmetic.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

constexpr uint32_t kEdges32[] = {0x00000000, 0x00000001, 0x00000002, 0x003fffff, 0x007fffff, 0x00800000, 0x00800001,
                                 0x00ffffff, 0x01000000, 0x33800000, 0x34000000, 0x3effffff, 0x3f000000, 0x3f000001,
                                 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000, 0x40490fdb, 0x4b000000,
                                 0x4b7fffff, 0x4b800001, 0x5f000000, 0x7e800000, 0x7f000000, 0x7f7ffffe, 0x7f7fffff,
                                 0x7f800000, 0x7fc00000, 0x7fc12345, 0x7f812345};
constexpr uint64_t kEdges64[] = {0,
                                 1,
                                 2,
                                 0x000fffffffffffff,
                                 0x0010000000000000,
                                 0x0010000000000001,
                                 0x3ca0000000000000,
                                 0x3fdfffffffffffff,
                                 0x3fe0000000000000,
                                 0x3fefffffffffffff,
                                 0x3ff0000000000000,
                                 0x3ff0000000000001,
                                 0x4000000000000000,
                                 0x4330000000000000,
                                 0x7fd0000000000000,
                                 0x7fe0000000000000,
                                 0x7fefffffffffffff,
                                 0x7ff0000000000000,
                                 0x7ff8000000000000,
                                 0x7ff8000012345678,
                                 0x7ff4000012345678};

template <class T>
struct Traits;
template <>
struct Traits<float> {
  using Bits = uint32_t;
  static constexpr Bits kSign = 0x80000000u, kInfinity = 0x7f800000u, kQuiet = 0x00400000u, kDefaultNan = 0x7fc00000u;
  static constexpr unsigned kDwords = 1;
  static float value(Bits b) { return as_f32(b); }
  static Bits edge(size_t k) { return kEdges32[k % std::size(kEdges32)]; }
  static Bits bits(float v) { return fbits(v); }
  static void set(TestWave& t, unsigned r, unsigned l, Bits b) { t.lane(r)[l] = b; }
  static Bits get(TestWave& t, unsigned r, unsigned l) { return t.lane(r)[l]; }
  static uint8_t& rounding(Mode& m) { return m.round_f32; }
  static uint8_t& denormals(Mode& m) { return m.denorm_f32; }
};
template <>
struct Traits<double> {
  using Bits = uint64_t;
  static constexpr Bits kSign = 1ull << 63, kInfinity = 0x7ff0000000000000, kQuiet = 0x0008000000000000,
                        kDefaultNan = 0x7ff8000000000000;
  static constexpr unsigned kDwords = 2;
  static double value(Bits b) { return as_f64(b); }
  static Bits edge(size_t k) { return kEdges64[k % std::size(kEdges64)]; }
  static Bits bits(double v) { return dbits(v); }
  static void set(TestWave& t, unsigned r, unsigned l, Bits b) { t.set64(r, l, b); }
  static Bits get(TestWave& t, unsigned r, unsigned l) { return t.get64(r, l); }
  static uint8_t& rounding(Mode& m) { return m.round_f64_f16; }
  static uint8_t& denormals(Mode& m) { return m.denorm_f64_f16; }
};

template <class T>
bool is_nan_bits(typename Traits<T>::Bits b) {
  return (b & ~Traits<T>::kSign) > Traits<T>::kInfinity;
}
template <class T>
bool is_denormal(typename Traits<T>::Bits b) {
  const auto one = Traits<T>::kInfinity & (~Traits<T>::kInfinity << 1);  // lowest exponent bit
  return (b & ~Traits<T>::kSign) < one && (b & ~Traits<T>::kSign);
}
template <class T>
typename Traits<T>::Bits flushed(typename Traits<T>::Bits b) {
  return is_denormal<T>(b) ? b & Traits<T>::kSign : b;
}

template <class T>
void fill_sources(TestWave& t, std::mt19937_64& random) {
  using F = Traits<T>;
  for (unsigned r : {10u, 12u, 14u}) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint64_t x = random();
      typename F::Bits b = static_cast<typename F::Bits>(random());
      if (x % 4 == 0) b = F::edge(x / 8) | ((x & 4) ? F::kSign : 0);
      // Close exponents, so that sums cancel.
      if (x % 4 == 1)
        b = F::bits(T(1.0)) +
            static_cast<typename F::Bits>(static_cast<int64_t>(x >> 40) - (1 << 23)) * (sizeof(T) == 8 ? 1u << 20 : 1u);
      F::set(t, r, l, b);
    }
  }
}

template <class T>
struct ArithmeticCase {
  Op op;
  unsigned sources;
  T (*host)(T, T, T);
};

template <class T>
void arithmetic_agrees(std::initializer_list<ArithmeticCase<T>> cases) {
  using F = Traits<T>;
  std::mt19937_64 random(17);
  for (const ArithmeticCase<T>& c : cases) {
    for (unsigned rounding = 0; rounding < 4; ++rounding) {
      for (unsigned denormals = 0; denormals < 4; ++denormals) {
        SCOPED_TRACE(::testing::Message()
                     << "op " << static_cast<int>(c.op) << " rounding " << rounding << " denormals " << denormals);
        TestWave t;
        F::rounding(t.wave.mode) = static_cast<uint8_t>(rounding);
        F::denormals(t.wave.mode) = static_cast<uint8_t>(denormals);
        Instruction i =
            make(c.op, {vgpr(20, F::kDwords)}, {vgpr(10, F::kDwords), vgpr(12, F::kDwords), vgpr(14, F::kDwords)});
        i.src_count = static_cast<uint8_t>(c.sources);
        for (int round = 0; round < 100; ++round) {
          fill_sources<T>(t, random);
          ASSERT_TRUE(t.run(i));
          for (unsigned l = 0; l < kLanes; ++l) {
            typename F::Bits in[3];
            for (unsigned k = 0; k < 3; ++k) {
              in[k] = F::get(t, 10 + 2 * k, l);
              if (!(denormals & 1)) in[k] = flushed<T>(in[k]);
            }
            T host;
            {
              HostRounding scope(rounding);
              host = c.host(F::value(in[0]), F::value(in[1]), F::value(in[2]));
            }
            typename F::Bits expected = F::bits(host);
            if (host != host) {
              // The first NaN operand, made quiet; else the default NaN.
              expected = F::kDefaultNan;
              for (unsigned k = c.sources; k-- > 0;) {
                if (is_nan_bits<T>(in[k])) expected = in[k] | F::kQuiet;
              }
            } else if (!(denormals & 2)) {
              expected = flushed<T>(expected);
            }
            ASSERT_EQ(expected, F::get(t, 20, l)) << std::hex << in[0] << ' ' << in[1] << ' ' << in[2];
          }
        }
      }
    }
  }
}

TEST(VectorSingle, ArithmeticAgreesWithTheHostInEveryMode) {
  arithmetic_agrees<float>({
      {Op::v_add_f32, 2, [](float a, float b, float) { return host_add(a, b); }},
      {Op::v_sub_f32, 2, [](float a, float b, float) { return host_add(a, -b); }},
      {Op::v_subrev_f32, 2, [](float a, float b, float) { return host_add(b, -a); }},
      {Op::v_mul_f32, 2, [](float a, float b, float) { return host_multiply(a, b); }},
      {Op::v_fma_f32, 3, [](float a, float b, float c) { return host_fma(a, b, c); }},
      {Op::v_mul_legacy_f32, 2, [](float a, float b, float) { return a == 0 || b == 0 ? 0.0f : host_multiply(a, b); }},
      // RDNA2 ISA: "DX9 rules, 0.0 * x = 0.0".
      {Op::v_fma_legacy_f32, 3,
       [](float a, float b, float c) { return a == 0 || b == 0 ? host_add(0.0f, c) : host_fma(a, b, c); }},
  });
}

TEST(VectorDouble, ArithmeticAgreesWithTheHostInEveryMode) {
  arithmetic_agrees<double>({
      {Op::v_add_f64, 2, [](double a, double b, double) { return host_add(a, b); }},
      {Op::v_mul_f64, 2, [](double a, double b, double) { return host_multiply(a, b); }},
      {Op::v_fma_f64, 3, [](double a, double b, double c) { return host_fma(a, b, c); }},
  });
}

TEST(VectorSingle, FusedMultiplyAddAccumulatesIntoItsDestination) {
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l)
    t.lane(1)[l] = fbits(1.5f + l), t.lane(2)[l] = fbits(2.0f), t.lane(3)[l] = fbits(0.25f * l);
  ASSERT_TRUE(t.run(make(Op::v_fmac_f32, {vgpr(3)}, {vgpr(1), negated(vgpr(2))})));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(fbits(0.25f * l - 2 * (1.5f + l)), t.lane(3)[l]);
}

TEST(VectorSingle, MadRoundsTwiceAndKnowsNoDenormals) {
  TestWave t;
  t.fill(1, fbits(1 + 0x1p-12f));
  t.fill(2, fbits(-(1 + 0x1p-11f)));
  ASSERT_TRUE(t.run(make(Op::v_mad_f32, {vgpr(3)}, {vgpr(1), vgpr(1), vgpr(2)})));
  EXPECT_EQ(0u, t.lane(3)[0]);
  ASSERT_TRUE(t.run(make(Op::v_fma_f32, {vgpr(3)}, {vgpr(1), vgpr(1), vgpr(2)})));
  EXPECT_EQ(fbits(0x1p-24f), t.lane(3)[0]);
  t.fill(1, fbits(0x1p-70f));
  t.fill(2, fbits(0x1p-60f));
  t.fill(4, fbits(0x1p-126f));
  ASSERT_TRUE(t.run(make(Op::v_mad_f32, {vgpr(3)}, {vgpr(1), vgpr(2), vgpr(4)})));
  EXPECT_EQ(fbits(0x1p-126f), t.lane(3)[0]);
  t.fill(3, fbits(1));
  ASSERT_TRUE(t.run(make(Op::v_mac_f32, {vgpr(3)}, {vgpr(1), vgpr(2)}, Encoding::kVop2)));
  EXPECT_EQ(fbits(1), t.lane(3)[0]);
  Instruction k = make(Op::v_madmk_f32, {vgpr(3)}, {vgpr(1), constant(fbits(0x1p60f)), vgpr(2)}, Encoding::kVop2);
  ASSERT_TRUE(t.run(k));
  EXPECT_EQ(fbits(0x1p-10f), t.lane(3)[0]);
}

// The ISA's text of V_MAX_F32 and V_MIN_F32, literally.
template <class T>
typename Traits<T>::Bits isa_select(typename Traits<T>::Bits a, typename Traits<T>::Bits b, bool ieee, bool maximum) {
  using F = Traits<T>;
  const auto signalling = [](typename F::Bits v) { return is_nan_bits<T>(v) && !(v & F::kQuiet); };
  if (ieee && signalling(a)) return a | F::kQuiet;
  if (ieee && signalling(b)) return b | F::kQuiet;
  if (is_nan_bits<T>(a)) return b;
  if (is_nan_bits<T>(b)) return a;
  if (a == 0 && b == F::kSign) return maximum ? a : b;
  if (a == F::kSign && b == 0) return maximum ? b : a;
  if (maximum) return F::value(a) >= F::value(b) ? a : b;
  return F::value(a) < F::value(b) ? a : b;
}

template <class T>
void selection_agrees(Op min, Op max, const Op* three) {
  using F = Traits<T>;
  std::mt19937_64 random(23);
  for (bool ieee : {true, false}) {
    TestWave t;
    t.wave.mode.ieee = ieee;
    for (int round = 0; round < 200; ++round) {
      fill_sources<T>(t, random);
      for (bool maximum : {false, true}) {
        ASSERT_TRUE(
            t.run(make(maximum ? max : min, {vgpr(20, F::kDwords)}, {vgpr(10, F::kDwords), vgpr(12, F::kDwords)})));
        for (unsigned l = 0; l < kLanes; ++l) {
          ASSERT_EQ(isa_select<T>(F::get(t, 10, l), F::get(t, 12, l), ieee, maximum), F::get(t, 20, l))
              << std::hex << F::get(t, 10, l) << ' ' << F::get(t, 12, l);
        }
      }
      if (!three) continue;
      for (unsigned which = 0; which < 3; ++which) {
        ASSERT_TRUE(t.run(make(three[which], {vgpr(20)}, {vgpr(10), vgpr(12), vgpr(14)})));
        for (unsigned l = 0; l < kLanes; ++l) {
          const auto a = F::get(t, 10, l), b = F::get(t, 12, l), c = F::get(t, 14, l);
          const auto min3 = isa_select<T>(isa_select<T>(a, b, ieee, false), c, ieee, false);
          const auto max3 = isa_select<T>(isa_select<T>(a, b, ieee, true), c, ieee, true);
          auto expected = which == 0 ? min3 : max3;
          if (which == 2) {
            if (is_nan_bits<T>(a) || is_nan_bits<T>(b) || is_nan_bits<T>(c))
              expected = min3;
            else if (F::value(max3) == F::value(a))
              expected = isa_select<T>(b, c, ieee, true);
            else if (F::value(max3) == F::value(b))
              expected = isa_select<T>(a, c, ieee, true);
            else
              expected = isa_select<T>(a, b, ieee, true);
          }
          ASSERT_EQ(expected, F::get(t, 20, l)) << std::hex << a << ' ' << b << ' ' << c << " which " << which;
        }
      }
    }
  }
}

TEST(VectorSingle, MinimumMaximumAndMedianFollowTheIsaForNansAndZeros) {
  const Op three[] = {Op::v_min3_f32, Op::v_max3_f32, Op::v_med3_f32};
  selection_agrees<float>(Op::v_min_f32, Op::v_max_f32, three);
}
TEST(VectorDouble, MinimumAndMaximumFollowTheIsaForNansAndZeros) {
  selection_agrees<double>(Op::v_min_f64, Op::v_max_f64, nullptr);
}

TEST(VectorSingle, MaximumFlushesDenormalsWhenModeSaysSo) {
  TestWave t;
  t.wave.mode.denorm_f32 = 0;
  t.fill(1, 0x80000123);
  ASSERT_TRUE(t.run(make(Op::v_max_f32, {vgpr(2)}, {vgpr(1), vgpr(1)})));
  EXPECT_EQ(0x80000000u, t.lane(2)[0]);
}

template <class T>
void rounding_agrees(const std::pair<Op, T (*)(T)>* cases, size_t count) {
  using F = Traits<T>;
  std::mt19937_64 random(29);
  for (size_t k = 0; k < count; ++k) {
    for (unsigned rounding : {0u, 2u}) {  // their results do not depend on the mode
      TestWave t;
      F::rounding(t.wave.mode) = static_cast<uint8_t>(rounding);
      for (int round = 0; round < 200; ++round) {
        fill_sources<T>(t, random);
        for (unsigned l = 0; l < kLanes; l += 2)
          F::set(t, 10, l, F::bits(static_cast<T>(static_cast<int64_t>(random() % 4001) - 2000) / 4));
        ASSERT_TRUE(t.run(make(cases[k].first, {vgpr(20, F::kDwords)}, {vgpr(10, F::kDwords)})));
        for (unsigned l = 0; l < kLanes; ++l) {
          const auto in = F::get(t, 10, l);
          const auto expected = is_nan_bits<T>(in) ? in | F::kQuiet : F::bits(cases[k].second(F::value(in)));
          ASSERT_EQ(expected, F::get(t, 20, l)) << std::hex << in << " case " << k;
        }
      }
    }
  }
}
TEST(VectorSingle, RoundsToIntegersAsNamed) {
  const std::pair<Op, float (*)(float)> cases[] = {{Op::v_trunc_f32, [](float v) { return std::trunc(v); }},
                                                   {Op::v_ceil_f32, [](float v) { return std::ceil(v); }},
                                                   {Op::v_floor_f32, [](float v) { return std::floor(v); }},
                                                   {Op::v_rndne_f32, [](float v) { return std::nearbyint(v); }}};
  rounding_agrees<float>(cases, std::size(cases));
}
TEST(VectorDouble, RoundsToIntegersAsNamed) {
  const std::pair<Op, double (*)(double)> cases[] = {{Op::v_trunc_f64, [](double v) { return std::trunc(v); }},
                                                     {Op::v_ceil_f64, [](double v) { return std::ceil(v); }},
                                                     {Op::v_floor_f64, [](double v) { return std::floor(v); }},
                                                     {Op::v_rndne_f64, [](double v) { return std::nearbyint(v); }}};
  rounding_agrees<double>(cases, std::size(cases));
}

TEST(VectorSingle, FractIsAlwaysLessThanOne) {
  TestWave t;
  const float values[] = {-1e-10f, -0x1p-149f, 0.75f, -0.25f, 3.0f, -0.0f, 123456.5f};
  const uint32_t expected[] = {0x3f7fffff, 0x3f7fffff, fbits(0.75f), fbits(0.75f), 0, 0, fbits(0.5f)};
  for (unsigned l = 0; l < std::size(values); ++l) t.lane(1)[l] = fbits(values[l]);
  ASSERT_TRUE(t.run(make(Op::v_fract_f32, {vgpr(2)}, {vgpr(1)})));
  for (unsigned l = 0; l < std::size(values); ++l)
    EXPECT_EQ(expected[l], t.lane(2)[l] & (expected[l] ? ~0u : 0x7fffffffu)) << values[l];
  t.set64(4, 0, dbits(-1e-30));
  ASSERT_TRUE(t.run(make(Op::v_fract_f64, {vgpr(6, 2)}, {vgpr(4, 2)})));
  EXPECT_EQ(0x3fefffffffffffffull, t.get64(6, 0));
}

template <class T>
void scaling_agrees(Op ldexp_op, Op mantissa_op, Op exponent_op) {
  using F = Traits<T>;
  std::mt19937_64 random(31);
  TestWave t;
  for (int round = 0; round < 300; ++round) {
    fill_sources<T>(t, random);
    for (unsigned l = 0; l < kLanes; ++l) {
      const int span = sizeof(T) == 8 ? 2400 : 320;
      t.lane(1)[l] = static_cast<uint32_t>(static_cast<int>(random() % (2 * span)) - span);
    }
    t.lane(1)[0] = 0x7fffffff, t.lane(1)[1] = 0x80000000;
    ASSERT_TRUE(t.run(make(ldexp_op, {vgpr(20, F::kDwords)}, {vgpr(10, F::kDwords), vgpr(1)})));
    ASSERT_TRUE(t.run(make(mantissa_op, {vgpr(22, F::kDwords)}, {vgpr(10, F::kDwords)})));
    ASSERT_TRUE(t.run(make(exponent_op, {vgpr(24)}, {vgpr(10, F::kDwords)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const auto in = F::get(t, 10, l);
      const T v = F::value(in);
      int e = 0;
      const T mantissa = std::isfinite(v) ? std::frexp(v, &e) : v;
      if (!std::isfinite(v)) e = 0;
      ASSERT_EQ(static_cast<uint32_t>(e), t.lane(24)[l]) << std::hex << in;
      if (v != v) {
        ASSERT_EQ(in | F::kQuiet, F::get(t, 20, l));
        continue;
      }
      ASSERT_EQ(F::bits(mantissa), F::get(t, 22, l)) << std::hex << in;
      ASSERT_EQ(F::bits(std::ldexp(v, static_cast<int>(t.lane(1)[l]))), F::get(t, 20, l))
          << std::hex << in << ' ' << t.lane(1)[l];
    }
  }
}
TEST(VectorSingle, LdexpAndFrexpAreExact) {
  scaling_agrees<float>(Op::v_ldexp_f32, Op::v_frexp_mant_f32, Op::v_frexp_exp_i32_f32);
}
TEST(VectorDouble, LdexpAndFrexpAreExact) {
  scaling_agrees<double>(Op::v_ldexp_f64, Op::v_frexp_mant_f64, Op::v_frexp_exp_i32_f64);
}

TEST(VectorSingle, CubeMapsChooseTheMajorAxis) {
  struct Case {
    float x, y, z, id, sc, tc, ma;
  };
  const Case cases[] = {{3, 1, 2, 0, -2, -1, 6},  {-3, 1, 2, 1, 2, -1, -6}, {1, 3, 2, 2, 1, 2, 6},
                        {1, -3, 2, 3, 1, -2, -6}, {1, 2, 3, 4, 1, -2, 6},   {1, 2, -3, 5, -1, -2, -6},
                        {2, 2, 2, 4, 2, -2, 4},   {2, -2, 1, 3, 2, -1, -4}};
  TestWave t;
  for (unsigned l = 0; l < std::size(cases); ++l)
    t.lane(1)[l] = fbits(cases[l].x), t.lane(2)[l] = fbits(cases[l].y), t.lane(3)[l] = fbits(cases[l].z);
  const std::pair<Op, float Case::*> ops[] = {{Op::v_cubeid_f32, &Case::id},
                                              {Op::v_cubesc_f32, &Case::sc},
                                              {Op::v_cubetc_f32, &Case::tc},
                                              {Op::v_cubema_f32, &Case::ma}};
  for (const auto& [op, field] : ops) {
    ASSERT_TRUE(t.run(make(op, {vgpr(4)}, {vgpr(1), vgpr(2), vgpr(3)})));
    for (unsigned l = 0; l < std::size(cases); ++l) EXPECT_EQ(cases[l].*field, as_f32(t.lane(4)[l])) << l;
  }
}

TEST(VectorModifiers, NegAndAbsApplyInThatOrderToSources) {
  TestWave t;
  t.fill(1, fbits(-3));
  t.fill(2, fbits(5));
  ASSERT_TRUE(t.run(make(Op::v_add_f32, {vgpr(3)}, {negated(absolute(vgpr(1))), negated(vgpr(2))})));
  EXPECT_EQ(-8.0f, as_f32(t.lane(3)[7]));
  t.set64(4, 7, dbits(-3));
  t.wave.set_sgpr64(8, dbits(0.5));
  ASSERT_TRUE(t.run(make(Op::v_mul_f64, {vgpr(6, 2)}, {absolute(vgpr(4, 2)), negated(sgpr(8, 2))})));
  EXPECT_EQ(-1.5, as_f64(t.get64(6, 7)));
}

TEST(VectorModifiers, ClampBoundsToTheUnitIntervalAndTakesNanToZeroUnderDx10) {
  for (bool dx10 : {true, false}) {
    TestWave t;
    t.wave.mode.dx10_clamp = dx10;
    const float values[] = {-1, -0.0f, 0.25f, 1, 7, INFINITY, -INFINITY};
    const float expected[] = {0, 0, 0.25f, 1, 1, 1, 0};
    for (unsigned l = 0; l < 7; ++l) t.lane(1)[l] = fbits(values[l]);
    t.lane(1)[7] = 0x7fc00001;
    t.fill(2, 0x80000000);
    Instruction i = make(Op::v_add_f32, {vgpr(3)}, {vgpr(1), vgpr(2)});
    i.clamp = true;
    ASSERT_TRUE(t.run(i));
    for (unsigned l = 0; l < 7; ++l) EXPECT_EQ(fbits(expected[l]), t.lane(3)[l]) << l;
    EXPECT_EQ(dx10 ? 0u : 0x7fc00001u, t.lane(3)[7]);
    t.fill(1, 0x4200);  // 3.0 in half
    t.fill(2, 0x3c00);
    i = make(Op::v_mul_f16, {vgpr(3)}, {vgpr(1), vgpr(2)});
    i.clamp = true;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(0x3c00u, t.lane(3)[0]);
    t.fill64(4, dbits(-2));
    i = make(Op::v_add_f64, {vgpr(6, 2)}, {vgpr(4, 2), vgpr(4, 2)});
    i.clamp = true;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(0u, t.get64(6, 0));
  }
}

TEST(VectorModifiers, OutputMultiplierActsOnlyWithoutIeeeModeAndDenormals) {
  TestWave t;
  t.fill(1, fbits(3));
  t.fill(2, fbits(-0.0f));
  Instruction i = make(Op::v_mul_f32, {vgpr(3)}, {vgpr(1), vgpr(1)});
  const float expected[] = {9, 18, 36, 4.5f};
  for (unsigned omod = 0; omod < 4; ++omod) {
    i.omod = static_cast<uint8_t>(omod);
    t.wave.mode = Mode{};
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(9.0f, as_f32(t.lane(3)[0])) << "ignored under IEEE mode";
    t.wave.mode.ieee = false;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(9.0f, as_f32(t.lane(3)[0])) << "ignored with output denormals";
    t.wave.mode.denorm_f32 = 0;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(expected[omod], as_f32(t.lane(3)[0]));
  }
  i = make(Op::v_mul_f32, {vgpr(3)}, {vgpr(1), vgpr(2)});
  i.omod = 1;
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ(0u, t.lane(3)[0]) << "no negative zero";
}

}  // namespace
}  // namespace kernloop::softgpu::vector
