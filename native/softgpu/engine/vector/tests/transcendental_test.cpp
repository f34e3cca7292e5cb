// Transcendentals against the host's 64-bit-significand libm, with the bounds that transcendental.cpp states, and
// division against the host's: LLVM's expansions of a correctly rounded a / b.
#include <functional>
#include <random>

#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

constexpr long double kTurn = 6.283185307179586476925286766559L;

struct BoundedCase {
  Op op;
  const char* name;
  std::function<long double(long double)> exact;
  float low, high;  // range of random inputs
  long double bound;
};

TEST(VectorTranscendentals, SingleResultsAreWithinTheStatedBounds) {
  const BoundedCase cases[] = {
      {Op::v_rcp_f32, "rcp", [](long double a) { return 1 / a; }, 0, 0, 0.5L},
      {Op::v_rcp_iflag_f32, "rcp_iflag", [](long double a) { return 1 / a; }, 0, 0, 0.5L},
      {Op::v_sqrt_f32, "sqrt", [](long double a) { return std::sqrt(a); }, 0, 0, 0.5L},
      {Op::v_rsq_f32, "rsq", [](long double a) { return 1 / std::sqrt(a); }, 0, 0, 0.501L},
      {Op::v_exp_f32, "exp", [](long double a) { return std::exp2(a); }, -126, 128, 0.501L},
      {Op::v_log_f32, "log", [](long double a) { return std::log2(a); }, 0, 0, 0.501L},
      {Op::v_log_f32, "log near 1", [](long double a) { return std::log2(a); }, 0.9f, 1.1f, 0.501L},
      {Op::v_sin_f32, "sin", [](long double a) { return std::sin((a - std::nearbyint(a)) * kTurn); }, -256, 256,
       0.501L},
      {Op::v_cos_f32, "cos", [](long double a) { return std::cos((a - std::nearbyint(a)) * kTurn); }, -256, 256,
       0.501L},
      {Op::v_sin_f32, "sin near 0", [](long double a) { return std::sin(a * kTurn); }, -1e-3f, 1e-3f, 0.501L},
  };
  std::mt19937_64 random(41);
  for (const BoundedCase& c : cases) {
    SCOPED_TRACE(c.name);
    TestWave t;
    long double worst = 0;
    for (int round = 0; round < 3000; ++round) {
      for (unsigned l = 0; l < kLanes; ++l) {
        float v = as_f32(static_cast<uint32_t>(random()));
        if (c.low != c.high) v = std::uniform_real_distribution<float>(c.low, c.high)(random);
        if (c.low == c.high && c.op != Op::v_rcp_f32 && c.op != Op::v_rcp_iflag_f32) v = std::abs(v);
        t.lane(1)[l] = fbits(v);
      }
      ASSERT_TRUE(t.run(make(c.op, {vgpr(2)}, {vgpr(1)})));
      for (unsigned l = 0; l < kLanes; ++l) {
        const float in = as_f32(t.lane(1)[l]), out = as_f32(t.lane(2)[l]);
        if (!std::isnormal(in)) continue;
        const long double exact = c.exact(in);
        if (std::abs(exact) < 1e-15L && (c.op == Op::v_sin_f32 || c.op == Op::v_cos_f32) && in != 0) {
          if (std::abs(in) < 1e-3f) continue;
          ASSERT_EQ(0.0f, out) << in;  // a quarter turn: the oracle's pi is inexact, the result is not
          continue;
        }
        if (std::abs(exact) < 0x1p-126L || std::abs(exact) >= 0x1.ffffffp127L) continue;  // flushed or overflowed
        int e;
        std::frexp(exact, &e);
        worst = std::max(worst, std::abs(out - exact) / std::ldexp(1.0L, e - 24));
      }
    }
    EXPECT_LE(worst, c.bound + 1e-6L);
    RecordProperty(c.name, std::to_string(static_cast<double>(worst)));
  }
}

// Each significand, for an even and an odd exponent: all others are these times a power of 4.
TEST(VectorTranscendentals, ReciprocalRootsAreThoseOfDoublesRoundedOnce) {
  TestWave t;
  const auto rsq = make(Op::v_rsq_f32, {vgpr(2)}, {vgpr(1)});
  unsigned different = 0;
  for (uint32_t first = fbits(0.5f); first < fbits(2.0f); first += kLanes) {
    for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = first + l;
    ASSERT_TRUE(t.run(rsq));
    for (unsigned l = 0; l < kLanes; ++l)
      different += as_f32(t.lane(2)[l]) != static_cast<float>(1.0 / std::sqrt(double{as_f32(first + l)}));
  }
  EXPECT_EQ(different, 0u);
}

TEST(VectorTranscendentals, SpecialValuesFollowTheIsa) {
  const float inf = INFINITY;
  struct Special {
    Op op;
    uint32_t in, out;
  };
  const Special cases[] = {
      {Op::v_rcp_f32, 0x00000000, 0x7f800000},
      {Op::v_rcp_f32, 0x80000000, 0xff800000},
      {Op::v_rcp_f32, fbits(inf), 0x00000000},
      {Op::v_rcp_f32, fbits(-inf), 0x80000000},
      {Op::v_rcp_f32, 0x00000001, 0x7f800000},
      {Op::v_rcp_f32, fbits(0x1.8p127f), 0x00000000},
      {Op::v_rsq_f32, 0x00000000, 0x7f800000},
      {Op::v_rsq_f32, 0x80000000, 0xff800000},
      {Op::v_rsq_f32, fbits(-1), 0x7fc00000},
      {Op::v_rsq_f32, fbits(inf), 0},
      {Op::v_rsq_f32, fbits(4), fbits(0.5f)},
      {Op::v_sqrt_f32, 0x80000000, 0x80000000},
      {Op::v_sqrt_f32, fbits(-1), 0x7fc00000},
      {Op::v_sqrt_f32, 0x00000001, 0},
      {Op::v_exp_f32, fbits(-inf), 0},
      {Op::v_exp_f32, fbits(inf), fbits(inf)},
      {Op::v_exp_f32, fbits(-126.5f), 0},
      {Op::v_exp_f32, fbits(-126), 0x00800000},
      {Op::v_exp_f32, 0, fbits(1)},
      {Op::v_exp_f32, fbits(128), fbits(inf)},
      {Op::v_exp_f32, fbits(10), fbits(1024)},
      {Op::v_log_f32, 0, fbits(-inf)},
      {Op::v_log_f32, 0x80000000, fbits(-inf)},
      {Op::v_log_f32, 0x00000001, fbits(-inf)},
      {Op::v_log_f32, fbits(-1), 0x7fc00000},
      {Op::v_log_f32, fbits(inf), fbits(inf)},
      {Op::v_log_f32, fbits(1), 0},
      {Op::v_log_f32, fbits(0x1p-126f), fbits(-126)},
      {Op::v_log_f32, fbits(8), fbits(3)},
      {Op::v_sin_f32, 0x80000000, 0x80000000},
      {Op::v_sin_f32, fbits(0.25f), fbits(1)},
      {Op::v_sin_f32, fbits(-0.25f), fbits(-1)},
      {Op::v_sin_f32, fbits(0.5f), 0},
      {Op::v_sin_f32, fbits(256.5f), 0},
      {Op::v_sin_f32, fbits(inf), 0x7fc00000},
      {Op::v_cos_f32, 0, fbits(1)},
      {Op::v_cos_f32, fbits(0.25f), 0},
      {Op::v_cos_f32, fbits(0.5f), fbits(-1)},
      {Op::v_cos_f32, fbits(1000), fbits(1)},
      {Op::v_log_f32, 0x7f812345, 0x7fc12345},
      {Op::v_exp_f32, 0xffc00007, 0xffc00007},
      {Op::v_rcp_f32, 0x7fc00001, 0x7fc00001},
  };
  TestWave t;
  for (unsigned mode = 0; mode < 4; ++mode) {  // MODE's rounding and denormals do not affect them
    t.wave.mode.round_f32 = static_cast<uint8_t>(mode);
    t.wave.mode.denorm_f32 = static_cast<uint8_t>(mode);
    for (const Special& c : cases) {
      t.fill(1, c.in);
      ASSERT_TRUE(t.run(make(c.op, {vgpr(2)}, {vgpr(1)})));
      EXPECT_EQ(c.out, t.lane(2)[0]) << "op " << static_cast<int>(c.op) << " of " << std::hex << c.in;
    }
  }
}

TEST(VectorTranscendentals, DoubleResultsAreWithinTheStatedBounds) {
  const std::tuple<Op, long double, std::function<long double(long double)>> cases[] = {
      {Op::v_rcp_f64, 0.501L, [](long double a) { return 1 / a; }},
      {Op::v_rsq_f64, 1.5L, [](long double a) { return 1 / std::sqrt(a); }},
      {Op::v_sqrt_f64, 0.501L, [](long double a) { return std::sqrt(a); }},
  };
  std::mt19937_64 random(43);
  for (const auto& [op, bound, exact_of] : cases) {
    TestWave t;
    for (int round = 0; round < 300; ++round) {
      for (unsigned l = 0; l < kLanes; ++l) t.set64(2, l, random() >> 1);
      ASSERT_TRUE(t.run(make(op, {vgpr(4, 2)}, {vgpr(2, 2)})));
      for (unsigned l = 0; l < kLanes; ++l) {
        const double in = as_f64(t.get64(2, l)), out = as_f64(t.get64(4, l));
        if (!std::isnormal(in) || !std::isnormal(out)) continue;
        const long double exact = exact_of(in);
        int e;
        std::frexp(exact, &e);
        ASSERT_LE(std::abs(out - exact) / std::ldexp(1.0L, e - 53), bound);
      }
    }
  }
}

// LLVM's lowering of fdiv (AMDGPUISelLowering/SIISelLowering: LowerFDIV32, LowerFDIV64).
void divide32(TestWave& t) {
  const Operand n = vgpr(1), d = vgpr(2), ds = vgpr(3), ns = vgpr(4), r = vgpr(5), e = vgpr(6), q = vgpr(7);
  const Operand one = constant(fbits(1)), vcc = sgpr(kVcc, 2), scratch = sgpr(50, 2);
  ASSERT_TRUE(t.run(make(Op::v_div_scale_f32, {ds, scratch}, {d, d, n})));
  ASSERT_TRUE(t.run(make(Op::v_div_scale_f32, {ns, vcc}, {n, d, n})));
  ASSERT_TRUE(t.run(make(Op::v_rcp_f32, {r}, {ds})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f32, {e}, {negated(ds), r, one})));
  ASSERT_TRUE(t.run(make(Op::v_fmac_f32, {r}, {e, r})));
  ASSERT_TRUE(t.run(make(Op::v_mul_f32, {q}, {ns, r})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f32, {e}, {negated(ds), q, ns})));
  ASSERT_TRUE(t.run(make(Op::v_fmac_f32, {q}, {e, r})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f32, {e}, {negated(ds), q, ns})));
  ASSERT_TRUE(t.run(make(Op::v_div_fmas_f32, {q}, {e, r, q})));
  ASSERT_TRUE(t.run(make(Op::v_div_fixup_f32, {vgpr(8)}, {q, d, n})));
}
void divide64(TestWave& t) {
  const Operand n = vgpr(10, 2), d = vgpr(12, 2), ds = vgpr(14, 2), ns = vgpr(16, 2), r = vgpr(18, 2), e = vgpr(20, 2),
                q = vgpr(22, 2);
  const Operand one = constant(dbits(1)), vcc = sgpr(kVcc, 2), scratch = sgpr(50, 2);
  ASSERT_TRUE(t.run(make(Op::v_div_scale_f64, {ds, scratch}, {d, d, n})));
  ASSERT_TRUE(t.run(make(Op::v_rcp_f64, {r}, {ds})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f64, {e}, {negated(ds), r, one})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f64, {r}, {r, e, r})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f64, {e}, {negated(ds), r, one})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f64, {r}, {r, e, r})));
  ASSERT_TRUE(t.run(make(Op::v_div_scale_f64, {ns, vcc}, {n, d, n})));
  ASSERT_TRUE(t.run(make(Op::v_mul_f64, {q}, {ns, r})));
  ASSERT_TRUE(t.run(make(Op::v_fma_f64, {e}, {negated(ds), q, ns})));
  ASSERT_TRUE(t.run(make(Op::v_div_fmas_f64, {q}, {e, r, q})));
  ASSERT_TRUE(t.run(make(Op::v_div_fixup_f64, {vgpr(24, 2)}, {q, d, n})));
}

TEST(VectorDivision, SinglePrecisionQuotientsAreTheHosts) {
  const uint32_t edges[] = {0,          1,          2,          0x7fffff,   0x800000,   0x800001,
                            0xc00000,   0x01000000, 0x0c000000, 0x33ffffff, 0x3f7fffff, 0x3f800000,
                            0x3f800001, 0x40400000, 0x7d800001, 0x7e800000, 0x7e800001, 0x7effffff,
                            0x7f000000, 0x7f000001, 0x7f7fffff, 0x7f800000, 0x7fc00001};
  std::mt19937_64 random(47);
  TestWave t;
  for (int round = 0; round < 1500; ++round) {
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned r : {1u, 2u}) {
        const uint64_t x = random();
        t.lane(r)[l] =
            x % 2 ? (edges[x / 4 % std::size(edges)] + static_cast<uint32_t>(x >> 60) % 3) | (x & 2 ? 0x80000000u : 0)
                  : static_cast<uint32_t>(x >> 16);
      }
      // Quotients around the end of the range.
      if (l % 4 == 0) {
        const int shift = static_cast<int>(random() % 30) - 150;
        t.lane(1)[l] = fbits(std::ldexp(as_f32(0x3f800000u | (t.lane(1)[l] & 0x7fffff)), shift / 2));
        t.lane(2)[l] = fbits(std::ldexp(as_f32(0x3f800000u | (t.lane(2)[l] & 0x7fffff)), shift / 2 - shift));
      }
    }
    ASSERT_NO_FATAL_FAILURE(divide32(t));
    for (unsigned l = 0; l < kLanes; ++l) {
      volatile float n = as_f32(t.lane(1)[l]), d = as_f32(t.lane(2)[l]);
      const float q = n / d;
      if (q != q) {
        ASSERT_TRUE(as_f32(t.lane(8)[l]) != as_f32(t.lane(8)[l]));
      } else {
        ASSERT_EQ(fbits(q), t.lane(8)[l]) << std::hexfloat << n << " / " << d;
      }
    }
  }
}

TEST(VectorDivision, DoublePrecisionQuotientsAreTheHosts) {
  const uint64_t edges[] = {0,
                            1,
                            0x000fffffffffffff,
                            0x0010000000000000,
                            0x0010000000000001,
                            0x0340000000000000,
                            0x0350000000000000,
                            0x3fefffffffffffff,
                            0x3ff0000000000000,
                            0x3ff0000000000001,
                            0x4008000000000000,
                            0x7fcfffffffffffff,
                            0x7fd0000000000000,
                            0x7fd0000000000001,
                            0x7fe0000000000000,
                            0x7fefffffffffffff,
                            0x7ff0000000000000,
                            0x7ff8000000000001};
  std::mt19937_64 random(53);
  TestWave t;
  for (int round = 0; round < 1500; ++round) {
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned r : {10u, 12u}) {
        const uint64_t x = random();
        t.set64(r, l, x % 2 ? edges[x / 4 % std::size(edges)] | (x & 2 ? 1ull << 63 : 0) : random());
      }
      if (l % 4 == 0) {
        const int shift = static_cast<int>(random() % 70) - 1080;
        const uint64_t mantissa = t.get64(10, l) & 0xfffffffffffff, other = t.get64(12, l) & 0xfffffffffffff;
        t.set64(10, l, dbits(std::ldexp(as_f64(0x3ff0000000000000 | mantissa), shift / 2)));
        t.set64(12, l, dbits(std::ldexp(as_f64(0x3ff0000000000000 | other), shift / 2 - shift)));
      }
    }
    ASSERT_NO_FATAL_FAILURE(divide64(t));
    for (unsigned l = 0; l < kLanes; ++l) {
      volatile double n = as_f64(t.get64(10, l)), d = as_f64(t.get64(12, l));
      const double q = n / d, ours = as_f64(t.get64(24, l));
      if (q != q) {
        ASSERT_TRUE(ours != ours);
      } else {
        ASSERT_EQ(dbits(q), t.get64(24, l)) << std::hexfloat << n << " / " << d;
      }
    }
  }
}

TEST(VectorDivision, FmasScalesWhereItsLaneOfVccIsSet) {
  TestWave t;
  t.wave.set_vcc(0xaaaaaaaaaaaaaaaaull);
  t.fill(1, fbits(1));
  for (unsigned l = 0; l < kLanes; ++l) t.lane(2)[l] = fbits(l % 4 < 2 ? 0.5f : 4.0f);
  ASSERT_TRUE(t.run(make(Op::v_div_fmas_f32, {vgpr(3)}, {vgpr(1), vgpr(1), vgpr(2)})));
  EXPECT_EQ(1.5f, as_f32(t.lane(3)[0]));
  EXPECT_EQ(1.5f * 0x1p-64f, as_f32(t.lane(3)[1]));
  EXPECT_EQ(5.0f, as_f32(t.lane(3)[2]));
  EXPECT_EQ(5.0f * 0x1p64f, as_f32(t.lane(3)[3]));
}

TEST(VectorDivision, HalfFixupKeepsSpecialCases) {
  struct Special {
    uint32_t computed, denominator, numerator, out;
  };
  const Special cases[] = {{0x3c00, 0x4000, 0xc000, 0xbc00}, {0x7e00, 0x0000, 0x3c00, 0x7c00},
                           {0x7e00, 0x0000, 0x8000, 0xfe00}, {0x3c00, 0x7c00, 0xbc00, 0x8000},
                           {0x3c00, 0x7c00, 0x7c00, 0xfe00}, {0x3c00, 0x7e01, 0x3c00, 0x7e01}};
  TestWave t;
  for (const Special& c : cases) {
    t.fill(1, c.computed), t.fill(2, c.denominator), t.fill(3, c.numerator);
    ASSERT_TRUE(t.run(make(Op::v_div_fixup_legacy_f16, {vgpr(4)}, {vgpr(1), vgpr(2), vgpr(3)})));
    EXPECT_EQ(c.out, t.lane(4)[0]);
  }
}

TEST(VectorTrigPreop, GivesConsecutiveChunksOfTwoOverPi) {
  TestWave t;
  t.fill64(2, dbits(1.0));
  long double sum = 0;
  for (unsigned segment = 0; segment < 2; ++segment) {
    ASSERT_TRUE(t.run(make(Op::v_trig_preop_f64, {vgpr(4, 2)}, {vgpr(2, 2), constant(segment)})));
    const double chunk = as_f64(t.get64(4, 0));
    EXPECT_EQ(std::ldexp(chunk, 53 * static_cast<int>(segment + 1)),
              std::floor(std::ldexp(chunk, 53 * static_cast<int>(segment + 1))));
    sum += chunk;
  }
  EXPECT_EQ(0.636619772367581343075535053490057448L, sum);
  // A large argument needs only lower bits: those above its exponent's range are left out.
  t.fill64(2, dbits(0x1p100));  // exponent field 1123: 46 bits on
  ASSERT_TRUE(t.run(make(Op::v_trig_preop_f64, {vgpr(4, 2)}, {vgpr(2, 2), constant(0)})));
  const long double rest = 0.636619772367581343075535053490057448L -
                           std::ldexp(std::floor(std::ldexp(0.636619772367581343075535053490057448L, 46)), -46);
  EXPECT_NEAR(static_cast<double>(rest), as_f64(t.get64(4, 0)), 0x1p-63);
}

}  // namespace
}  // namespace kernloop::softgpu::vector
