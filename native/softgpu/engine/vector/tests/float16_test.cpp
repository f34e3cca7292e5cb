// Half precision: unary operations over all 65,536 inputs, others over edges and random values, against exact
// arithmetic in 113 bits rounded once by table.
#include <functional>
#include <random>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

using Wide = __float128;

bool is_nan_half(uint32_t h) {
  return (h & 0x7fff) > 0x7c00;
}
bool is_denormal_half(uint32_t h) {
  return (h & 0x7c00) == 0 && (h & 0x3ff);
}

// Runs a one-source instruction on every half; `check(input, output)`.
void over_all_halves(const Instruction& i, const Mode& mode, const std::function<void(uint32_t, uint32_t)>& check) {
  TestWave t;
  t.wave.mode = mode;
  for (uint32_t base = 0; base < 65536; base += kLanes) {
    for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = (base + l) | 0xabcd0000u;
    t.fill(2, 0x5a5a5a5a);
    ASSERT_TRUE(t.run(i));
    for (unsigned l = 0; l < kLanes; ++l) {
      check(base + l, t.lane(2)[l]);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

struct Unary {
  Op op;
  const char* name;
  std::function<Wide(double)> exact;  // for finite inputs
  uint32_t of_positive_infinity, of_negative_infinity;
};
constexpr uint32_t kInf = 0x7c00, kNegInf = 0xfc00, kNan = 0x7e00;

TEST(VectorHalf, UnaryOperationsAreCorrectlyRoundedForEveryInput) {
  const Unary cases[] = {
#define OP(name) Op::name, #name
      {OP(v_trunc_f16), [](double a) { return Wide{std::trunc(a)}; }, kInf, kNegInf},
      {OP(v_ceil_f16), [](double a) { return Wide{std::ceil(a)}; }, kInf, kNegInf},
      {OP(v_floor_f16), [](double a) { return Wide{std::floor(a)}; }, kInf, kNegInf},
      {OP(v_rndne_f16), [](double a) { return Wide{std::nearbyint(a)}; }, kInf, kNegInf},
      {OP(v_fract_f16), [](double a) { return std::min(Wide{a} - std::floor(a), Wide{half_value(0x3bff)}); }, kNan,
       kNan},
      {OP(v_rcp_f16), [](double a) { return Wide{1} / a; }, 0, 0x8000},
      // 53 bits cannot mislead the rounding of a root of 11 bits to 11.
      {OP(v_sqrt_f16), [](double a) { return a < 0 ? Wide{NAN} : Wide{std::sqrt(a)}; }, kInf, kNan},
      {OP(v_rsq_f16), [](double a) { return a < 0 ? Wide{NAN} : Wide{1} / std::sqrt(static_cast<long double>(a)); }, 0,
       kNan},
      {OP(v_frexp_mant_f16),
       [](double a) {
         int e;
         return Wide{std::frexp(a, &e)};
       },
       kInf, kNegInf},
#undef OP
  };
  for (const Unary& c : cases) {
    SCOPED_TRACE(c.name);
    over_all_halves(make(c.op, {vgpr(2)}, {vgpr(1)}), Mode{}, [&](uint32_t in, uint32_t out) {
      uint32_t expected;
      if (is_nan_half(in)) {
        expected = in | 0x200;
      } else if ((in & 0x7fff) == kInf) {
        expected = in & 0x8000 ? c.of_negative_infinity : c.of_positive_infinity;
      } else {
        const double a = half_value(in);
        const Wide exact = c.exact(a);
        expected = exact != exact ? kNan : half_of(exact);
        if (exact == 0 && c.op != Op::v_fract_f16) expected = in & 0x8000;
        if (a == 0 && (c.op == Op::v_rcp_f16 || c.op == Op::v_rsq_f16)) expected = (in & 0x8000) | kInf;
      }
      ASSERT_EQ(expected, out) << std::hex << in;
    });
  }
}

TEST(VectorHalf, TranscendentalsAreWithinHalfAnUlpAndAThousandth) {
  struct Case {
    Op op;
    const char* name;
    std::function<long double(long double)> exact;
  };
  const long double turn = 6.283185307179586476925286766559L;
  const Case cases[] = {
      {Op::v_exp_f16, "exp", [](long double a) { return std::exp2(a); }},
      {Op::v_log_f16, "log", [](long double a) { return std::log2(a); }},
      {Op::v_sin_f16, "sin",
       [=](long double a) { return std::abs(a) > 256 ? 0.0L : std::sin((a - std::nearbyint(a)) * turn); }},
      {Op::v_cos_f16, "cos",
       [=](long double a) { return std::abs(a) > 256 ? 1.0L : std::cos((a - std::nearbyint(a)) * turn); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    long double worst = 0;
    over_all_halves(make(c.op, {vgpr(2)}, {vgpr(1)}), Mode{}, [&](uint32_t in, uint32_t out) {
      const double a = half_value(in);
      if (!std::isfinite(a)) return;
      const long double exact = c.exact(a);
      if (exact != exact) {
        ASSERT_TRUE(is_nan_half(out)) << std::hex << in;
        return;
      }
      if (std::isinf(exact) || std::abs(exact) >= 65520) {
        ASSERT_EQ((exact < 0 ? 0x8000u : 0u) | kInf, out) << std::hex << in;
        return;
      }
      int e = 0;
      std::frexp(exact, &e);
      const long double ulp = std::ldexp(1.0L, std::max(e - 11, -24));
      // Zeros of sine and cosine at quarter turns: the oracle's pi is inexact, the result is not.
      if (std::abs(exact) < 1e-15L) {
        ASSERT_EQ(0u, out & 0x7fff);
        return;
      }
      worst = std::max(worst, std::abs(half_value(out) - exact) / ulp);
    });
    EXPECT_LE(worst, 0.501L);
  }
}

TEST(VectorHalf, ConversionsCoverEveryHalf) {
  over_all_halves(make(Op::v_cvt_f32_f16, {vgpr(2)}, {vgpr(1)}), Mode{}, [](uint32_t in, uint32_t out) {
    if (is_nan_half(in)) {
      ASSERT_EQ((in & 0x8000) << 16 | 0x7fc00000 | (in & 0x1ff) << 13, out);
    } else {
      ASSERT_EQ(fbits(static_cast<float>(half_value(in))), out) << std::hex << in;
    }
  });
  over_all_halves(make(Op::v_cvt_u16_f16, {vgpr(2)}, {vgpr(1)}), Mode{}, [](uint32_t in, uint32_t out) {
    const double a = half_value(in);
    ASSERT_EQ(a != a ? 0u : static_cast<uint32_t>(std::clamp(std::trunc(a), 0.0, 65535.0)), out) << std::hex << in;
  });
  over_all_halves(make(Op::v_cvt_i16_f16, {vgpr(2)}, {vgpr(1)}), Mode{}, [](uint32_t in, uint32_t out) {
    const double a = half_value(in);
    const int v = a != a ? 0 : static_cast<int>(std::clamp(std::trunc(a), -32768.0, 32767.0));
    ASSERT_EQ(static_cast<uint32_t>(v) & 0xffff, out) << std::hex << in;
  });
  over_all_halves(make(Op::v_cvt_f16_u16, {vgpr(2)}, {vgpr(1)}), Mode{},
                  [](uint32_t in, uint32_t out) { ASSERT_EQ(half_of(Wide(in)), out); });
  over_all_halves(make(Op::v_cvt_f16_i16, {vgpr(2)}, {vgpr(1)}), Mode{},
                  [](uint32_t in, uint32_t out) { ASSERT_EQ(half_of(Wide(static_cast<int16_t>(in))), out); });
  over_all_halves(make(Op::v_frexp_exp_i16_f16, {vgpr(2)}, {vgpr(1)}), Mode{}, [](uint32_t in, uint32_t out) {
    int e = 0;
    const double a = half_value(in);
    if (std::isfinite(a) && a != 0) std::frexp(a, &e);
    ASSERT_EQ(static_cast<uint32_t>(e) & 0xffff, out) << std::hex << in;
  });
}

std::vector<uint32_t> interesting_floats() {
  std::vector<uint32_t> all;
  // Around every half and every midpoint of two halves.
  for (uint32_t h = 0; h < 0x7c00; h += 3) {
    const float v = static_cast<float>(half_value(h)),
                next = h == 0x7bff ? 65536.0f : static_cast<float>(half_value(h + 1));
    for (float f : {v, (v + next) / 2}) {
      for (int d = -1; d <= 1; ++d) {
        const uint32_t b = fbits(f) + static_cast<uint32_t>(f == 0 && d < 0 ? 0 : d);
        all.push_back(b);
        all.push_back(b | 0x80000000u);
      }
    }
  }
  for (uint32_t b :
       {0x7f800000u, 0x7f7fffffu, 0x00000001u, 0x007fffffu, 0x477fefffu, 0x477ff000u, 0x477fffffu, 0x47800000u}) {
    all.push_back(b);
    all.push_back(b | 0x80000000u);
  }
  std::mt19937 random(7);
  for (int k = 0; k < 20000; ++k) all.push_back(static_cast<uint32_t>(random()));
  return all;
}

TEST(VectorHalf, NarrowingHonoursEveryRoundingMode) {
  const std::vector<uint32_t> values = interesting_floats();
  for (unsigned mode = 0; mode < 4; ++mode) {
    TestWave t;
    t.wave.mode.round_f64_f16 = static_cast<uint8_t>(mode);
    for (size_t base = 0; base < values.size(); base += kLanes) {
      for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = values[(base + l) % values.size()];
      ASSERT_TRUE(t.run(make(Op::v_cvt_f16_f32, {vgpr(2)}, {vgpr(1)})));
      ASSERT_TRUE(t.run(make(Op::v_cvt_pkrtz_f16_f32, {vgpr(3)}, {vgpr(1), negated(vgpr(1))})));
      for (unsigned l = 0; l < kLanes; ++l) {
        const uint32_t in = t.lane(1)[l];
        const float f = as_f32(in);
        if (f != f) {
          ASSERT_EQ((in >> 16 & 0x8000) | 0x7e00 | (in >> 13 & 0x1ff), t.lane(2)[l]) << std::hex << in;
          continue;
        }
        ASSERT_EQ(half_of(f, mode), t.lane(2)[l]) << std::hex << in << " mode " << mode;
        const uint32_t toward_zero = half_of(f, 3);
        ASSERT_EQ(toward_zero | (toward_zero ^ 0x8000) << 16, t.lane(3)[l]) << std::hex << in;
      }
    }
  }
}

struct Ternary {
  Op op;
  const char* name;
  unsigned sources;
  std::function<Wide(Wide, Wide, Wide)> exact;
};
const Ternary kTernaries[] = {
#define OP(name) Op::name, #name
    {OP(v_add_f16), 2, [](Wide a, Wide b, Wide) { return a + b; }},
    {OP(v_sub_f16), 2, [](Wide a, Wide b, Wide) { return a - b; }},
    {OP(v_subrev_f16), 2, [](Wide a, Wide b, Wide) { return b - a; }},
    {OP(v_mul_f16), 2, [](Wide a, Wide b, Wide) { return a * b; }},
    {OP(v_fma_f16), 3, [](Wide a, Wide b, Wide c) { return a * b + c; }},
    {OP(v_fma_legacy_f16), 3, [](Wide a, Wide b, Wide c) { return a * b + c; }},
#undef OP
};

TEST(VectorHalf, ArithmeticIsExactBeforeItsOneRoundingInEveryMode) {
  const uint32_t edges[] = {0x0000, 0x0001, 0x0002, 0x01ff, 0x03ff, 0x0400, 0x0401, 0x1400, 0x3555, 0x3800, 0x3bff,
                            0x3c00, 0x3c01, 0x4000, 0x4248, 0x63ff, 0x6400, 0x7800, 0x7bfe, 0x7bff, 0x7c00};
  std::vector<uint32_t> values;
  for (uint32_t e : edges) values.push_back(e), values.push_back(e | 0x8000);
  std::mt19937 random(11);
  for (const Ternary& c : kTernaries) {
    for (unsigned rounding = 0; rounding < 4; ++rounding) {
      for (unsigned denormals = 0; denormals < 4; ++denormals) {
        SCOPED_TRACE(::testing::Message() << c.name << " rounding " << rounding << " denormals " << denormals);
        TestWave t;
        t.wave.mode.round_f64_f16 = static_cast<uint8_t>(rounding);
        t.wave.mode.denorm_f64_f16 = static_cast<uint8_t>(denormals);
        Instruction i = make(c.op, {vgpr(9)}, {vgpr(1), vgpr(2), vgpr(3)});
        i.src_count = static_cast<uint8_t>(c.sources);
        for (int round = 0; round < 60; ++round) {
          for (unsigned r = 1; r <= 3; ++r) {
            for (unsigned l = 0; l < kLanes; ++l) {
              const uint32_t x = static_cast<uint32_t>(random());
              t.lane(r)[l] = x % 3 ? values[x / 3 % values.size()] : x >> 16;
            }
          }
          ASSERT_TRUE(t.run(i));
          for (unsigned l = 0; l < kLanes; ++l) {
            Wide v[3];
            bool nan = false;
            for (unsigned r = 0; r < 3; ++r) {
              uint32_t h = t.lane(r + 1)[l];
              if (!(denormals & 1) && is_denormal_half(h)) h &= 0x8000;
              v[r] = half_value(h);
              nan |= r < c.sources && is_nan_half(h);
            }
            const uint32_t out = t.lane(9)[l] & 0xffff;
            const Wide exact = c.exact(v[0], v[1], v[2]);
            if (nan || exact != exact) {
              ASSERT_TRUE(is_nan_half(out));
              continue;
            }
            if (exact ==
                0) {  // the sign of an exact zero sum is the rounding mode's: checked against the host in float32_test
              ASSERT_EQ(0u, out & 0x7fff);
              continue;
            }
            uint32_t expected = half_of(exact, rounding);
            if (!(denormals & 2) && is_denormal_half(expected)) expected &= 0x8000;
            ASSERT_EQ(expected, out) << std::hex << t.lane(1)[l] << ' ' << t.lane(2)[l] << ' ' << t.lane(3)[l];
          }
        }
      }
    }
  }
}

TEST(VectorHalf, MadRoundsItsProductAndFlushesDenormals) {
  TestWave t;
  // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20: the last term is lost before the sum, which then is exactly zero.
  t.fill(1, 0x3c01);
  t.fill(2, 0xbc02);
  ASSERT_TRUE(t.run(make(Op::v_mad_legacy_f16, {vgpr(3)}, {vgpr(1), vgpr(1), vgpr(2)})));
  EXPECT_EQ(0u, t.lane(3)[0]);
  ASSERT_TRUE(t.run(make(Op::v_fma_legacy_f16, {vgpr(3)}, {vgpr(1), vgpr(1), vgpr(2)})));
  EXPECT_EQ(half_of(Wide{0x1p-20}), t.lane(3)[0]);
  t.fill(1, 0x0200);  // denormal
  t.fill(2, 0x3c00);
  t.fill(4, 0);
  ASSERT_TRUE(t.run(make(Op::v_mad_legacy_f16, {vgpr(3)}, {vgpr(1), vgpr(2), vgpr(4)})));
  EXPECT_EQ(0u, t.lane(3)[0]);
  ASSERT_TRUE(t.run(make(Op::v_fma_legacy_f16, {vgpr(3)}, {vgpr(1), vgpr(2), vgpr(4)})));
  EXPECT_EQ(0x200u, t.lane(3)[0]);
}

TEST(VectorHalf, ResultsZeroOrKeepTheRegistersOtherHalf) {
  TestWave t;
  t.fill(1, 0x3c00);
  t.fill(2, 0x4000);
  for (Op zeroing : {Op::v_add_f16, Op::v_mul_lo_u16, Op::v_lshlrev_b16, Op::v_max_f16}) {
    t.fill(5, 0xdeadbeef);
    ASSERT_TRUE(t.run(make(zeroing, {vgpr(5)}, {vgpr(1), vgpr(2)})));
    EXPECT_EQ(0u, t.lane(5)[3] >> 16);
  }
  for (Op preserving : {Op::v_fma_f16, Op::v_mad_f16, Op::v_mad_u16, Op::v_mad_i16, Op::v_div_fixup_f16}) {
    t.fill(5, 0xdeadbeef);
    ASSERT_TRUE(t.run(make(preserving, {vgpr(5)}, {vgpr(1), vgpr(2), vgpr(1)})));
    EXPECT_EQ(0xdeadu, t.lane(5)[3] >> 16);
  }
  for (Op legacy : {Op::v_fma_legacy_f16, Op::v_mad_legacy_f16, Op::v_mad_legacy_u16, Op::v_div_fixup_legacy_f16}) {
    t.fill(5, 0xdeadbeef);
    ASSERT_TRUE(t.run(make(legacy, {vgpr(5)}, {vgpr(1), vgpr(2), vgpr(1)})));
    EXPECT_EQ(0u, t.lane(5)[3] >> 16);
  }
}

TEST(VectorHalf, OpSelReadsAndWritesHighHalves) {
  TestWave t;
  t.fill(1, 0x40003c00);  // 2, 1
  t.fill(2, 0x44004200);  // 4, 3
  t.fill(3, 0x45004800);  // 5, 8
  for (unsigned op_sel = 0; op_sel < 16; ++op_sel) {
    t.fill(5, 0xaaaa5555);
    Instruction i = make(Op::v_fma_f16, {vgpr(5)}, {vgpr(1), vgpr(2), vgpr(3)});
    i.op_sel = static_cast<uint8_t>(op_sel);
    ASSERT_TRUE(t.run(i));
    const double a = op_sel & 1 ? 2 : 1, b = op_sel & 2 ? 4 : 3, c = op_sel & 4 ? 5 : 8;
    const uint32_t expected = half_of(a * b + c);
    EXPECT_EQ(op_sel & 8 ? expected << 16 | 0x5555 : 0xaaaa0000 | expected, t.lane(5)[0]) << op_sel;
  }
}

TEST(VectorHalf, OverflowClampsToTheLargestFiniteHalfWhenModeSaysSo) {
  TestWave t;
  t.wave.mode.fp16_overflow = true;
  t.fill(1, 0x7bff);
  t.fill(2, 0x7c00);
  ASSERT_TRUE(t.run(make(Op::v_add_f16, {vgpr(3)}, {vgpr(1), vgpr(1)})));
  EXPECT_EQ(0x7bffu, t.lane(3)[0]);
  ASSERT_TRUE(t.run(make(Op::v_add_f16, {vgpr(3)}, {vgpr(1), vgpr(2)})));
  EXPECT_EQ(0x7c00u, t.lane(3)[0]);
}

TEST(VectorHalf, LdexpRoundsOnce) {
  TestWave t;
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    for (unsigned l = 0; l < kLanes; ++l) {
      t.lane(1)[l] = static_cast<uint32_t>(random()) & 0xffff;
      t.lane(2)[l] = static_cast<uint32_t>(static_cast<int>(random() % 80) - 40) & 0xffff;
    }
    t.lane(2)[0] = 0x7fff, t.lane(2)[1] = 0x8000;
    ASSERT_TRUE(t.run(make(Op::v_ldexp_f16, {vgpr(3)}, {vgpr(1), vgpr(2)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint32_t in = t.lane(1)[l];
      if (is_nan_half(in)) continue;
      const int n = std::clamp<int>(static_cast<int16_t>(t.lane(2)[l]), -200, 200);
      ASSERT_EQ(half_of(std::ldexp(half_value(in), n)), t.lane(3)[l]) << std::hex << in << ' ' << n;
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::vector
