// v_exp_f32 against the series that transcendental.cpp names, summed with 64-bit significands.
// KERNLOOP_EXPONENTIALS=997 takes one float in 997, for instance.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

// Taylor's series of e^(f ln 2) to f^9: the double next to ln(2)^k / k!.
long double series_of(long double f) {
  constexpr double kCoefficients[] = {0x1.b5253d395e7c4p-24, 0x1.62c0223a5c824p-20, 0x1.ffcbfc588b0c7p-17,
                                      0x1.430912f86c787p-13, 0x1.5d87fe78a6731p-10, 0x1.3b2ab6fba4e77p-7,
                                      0x1.c6b08d704a0c0p-5,  0x1.ebfbdff82c58fp-3,  0x1.62e42fefa39efp-1};
  long double sum = 0;
  for (const double coefficient : kCoefficients) sum = (sum + coefficient) * f;
  return sum + 1;
}
long double exponential_of(float x) {
  const long double whole = std::nearbyint(x);
  return std::ldexp(series_of(x - whole), static_cast<int>(whole));
}

// Denormals are flushed, as inputs and as results.
float expected_single(float x) {
  if (std::abs(x) < 0x1p-126f) return 1;
  if (x < -127 || x > 129) return x < 0 ? 0 : INFINITY;
  const auto rounded = static_cast<float>(exponential_of(x));
  return rounded < 0x1p-126f ? 0 : rounded;
}

// Their series are nearest to the middle of two floats, within a few of a double's last places: the bits that
// operations in double precision gave before some of them were fused.
struct Hard {
  uint32_t in, out;
};
constexpr Hard kHard[] = {{0x33b8aa3b, 0x3f800001}, {0x36879cf7, 0x3f800018}, {0x3a07857c, 0x3f800bbe},
                          {0x3b429d37, 0x3f804385}, {0x3c02a9ad, 0x3f80b5a3}, {0xb52d1f9a, 0x3f7ffff8},
                          {0xb8d3d026, 0x3f7ffb69}, {0xbaec2b40, 0x3f7fae34}, {0xbcf3a937, 0x3f7ac6b0},
                          {0xbe1f29de, 0x3f65da56}, {0xbe62e434, 0x3f5b8d9b}};

bool is_hard(float x) {
  const float f = x - std::nearbyint(x);
  return std::any_of(std::begin(kHard), std::end(kHard), [f](const Hard& hard) { return as_f32(hard.in) == f; });
}

void expect_rounded_series(TestWave& t) {
  ASSERT_TRUE(t.run(make(Op::v_exp_f32, {vgpr(2)}, {vgpr(1)})));
  for (unsigned l = 0; l < kLanes; ++l) {
    const float x = as_f32(t.lane(1)[l]);
    if (!std::isnan(x) && !is_hard(x)) {
      ASSERT_EQ(fbits(expected_single(x)), t.lane(2)[l]) << std::hexfloat << x;
    }
  }
}

TEST(VectorExponentials, OfFloatsAreTheirSeriesRoundedOnce) {
  const char* const asked = std::getenv("KERNLOOP_EXPONENTIALS");
  const uint64_t step = asked ? std::strtoull(asked, nullptr, 0) : 65521;
  TestWave t;
  for (uint64_t first = 0; first < uint64_t{1} << 32; first += step * kLanes) {
    for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = static_cast<uint32_t>(first + l * step);
    ASSERT_NO_FATAL_FAILURE(expect_rounded_series(t));
  }
}

TEST(VectorExponentials, OfFloatsNearTheMiddleOfTwoResultsKeepTheirBits) {
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = kHard[l % std::size(kHard)].in;
  ASSERT_TRUE(t.run(make(Op::v_exp_f32, {vgpr(2)}, {vgpr(1)})));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(kHard[l % std::size(kHard)].out, t.lane(2)[l]) << l;
}

TEST(VectorExponentials, AtTheEndsOfTheRangeAreZeroOrInfinity) {
  const float ends[] = {-126.0f, -126.00001f, -126.5f, -127.0f, -128.0f, -200.0f,  -INFINITY,
                        127.5f,  127.99999f,  128.0f,  128.5f,  200.0f,  INFINITY, -0x1p-149f};
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = fbits(ends[l % std::size(ends)]);
  expect_rounded_series(t);
}

}  // namespace
}  // namespace kernloop::softgpu::vector
