// Oracle: the host's floats to the bit; double and long double, with the bounds of OpenCL's full profile, for the math
// library.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"
#include "softgpu/corpus/harness/ulp.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 600;

std::vector<float> wild(uint32_t seed, unsigned turn = 0) {
  std::vector<float> values;
  for (uint32_t word : random_words(kCount, seed)) values.push_back(std::bit_cast<float>(word));
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1p-130f, 1, -1.5f, 0x1.fffffep127f};
  for (unsigned i = 0; i < 100; ++i) values[i] = special[(turn ? i / 10 : i) % 10];
  return values;
}

void expect_same(float got, float expected, const std::string& what) {
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(got)) << what << ": " << got;
  } else {
    ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected))
        << what << ": " << got << ", not " << expected;
  }
}

TEST(real, divide) {
  const auto a = wild(1), b = wild(2, 1);
  const DeviceArray<float> da(a), db(b), quotient(kCount), root(kCount);
  launch("real", "divide", cover(kCount), da.get(), db.get(), quotient.get(), root.get(), kCount);
  const auto q = quotient.download(), r = root.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_same(q[i], a[i] / b[i], "quotient " + std::to_string(i)));
    ASSERT_NO_FATAL_FAILURE(expect_same(r[i], std::sqrt(std::fabs(a[i])), "root " + std::to_string(i)));
  }
}

TEST(real, fused) {
  auto a = random_reals<float>(kCount, -4, 4, 3);
  const auto b = random_reals<float>(kCount, -4, 4, 4);
  auto c = random_reals<float>(kCount, -4, 4, 5);
  for (unsigned i = 0; i < kCount; i += 2) c[i] = -a[i] * b[i];
  a[1] = NAN, a[3] = -0.0f, a[5] = INFINITY;
  const DeviceArray<float> da(a), db(b), dc(c), out(8 * kCount);
  launch("real", "fused", cover(kCount), da.get(), db.get(), dc.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const float x = a[i], y = b[i], z = c[i];
    const float expected[] = {std::fma(x, y, z),
                              x * y + z,
                              std::fmin(x, y),
                              std::fmax(x, z),
                              std::fmin(std::fmax(x, -1.0f), 1.0f),
                              x < 0   ? 0
                              : x > 1 ? 1
                                      : x,  // HIP keeps NaN
                              -std::fabs(x) * 2,
                              std::fmin(x, std::fmin(y, z))};
    for (int k = 0; k < 8; ++k) {
      if (k == 5 && x == 0) {
        ASSERT_EQ(got[8 * i + k], 0);  // either sign
        continue;
      }
      ASSERT_NO_FATAL_FAILURE(
          expect_same(got[8 * i + k], expected[k], "operation " + std::to_string(k) + " of " + std::to_string(x)));
    }
  }
}

TEST(real, conversions) {
  const auto a = random_reals<float>(kCount, -0x1p31f, 0x1p31f, 6);
  std::vector<int> words;
  for (uint32_t word : random_words(kCount, 7)) words.push_back(static_cast<int>(word) >> (word % 30));
  auto values = a;
  for (unsigned i = 0; i < kCount; i += 2) values[i] *= 0x1p-28f;  // fractions matter
  values[2] = 2.5f, values[4] = -0.5f, values[6] = 3.5f;
  const DeviceArray<float> da(values), from(4 * kCount);
  const DeviceArray<int> dwords(words), to(5 * kCount);
  launch("real", "conversions", cover(kCount), da.get(), dwords.get(), to.get(), from.get(), kCount);
  const auto t = to.download();
  const auto f = from.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const float x = values[i];
    ASSERT_EQ(t[5 * i], static_cast<int>(x));
    ASSERT_EQ(static_cast<uint32_t>(t[5 * i + 1]), static_cast<uint32_t>(std::fabs(x)));
    ASSERT_EQ(t[5 * i + 2], static_cast<int>(std::nearbyint(x)));
    ASSERT_EQ(t[5 * i + 3], static_cast<int>(std::ceil(x)));
    ASSERT_EQ(t[5 * i + 4], static_cast<uint8_t>(std::fabs(x) * 0x1p-24f));
    const auto word = static_cast<uint32_t>(words[i]);
    ASSERT_EQ(f[4 * i], static_cast<float>(words[i]));
    ASSERT_EQ(f[4 * i + 1], static_cast<float>(word));
    ASSERT_EQ(f[4 * i + 2], static_cast<float>(word >> 16 & 255));
    ASSERT_EQ(f[4 * i + 3], static_cast<float>(static_cast<int64_t>(words[i]) * words[(i + 1) % kCount]));
  }
}

TEST(real, packed) {
  auto a = random_reals<float>(kCount, -1.2f, 1.2f, 8), b = random_reals<float>(kCount, -1.2f, 1.2f, 9);
  a[0] = 0.5f, a[1] = -0.5f, a[2] = NAN, a[3] = INFINITY, a[4] = 1, a[5] = -1, a[6] = 0.0125f;  // 2.5 of 200
  const DeviceArray<float> da(a), db(b);
  const DeviceArray<uint32_t> out(3 * kCount);
  launch("real", "packed", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  const auto step = [](float v, double low, double steps) {
    return std::isnan(v) ? 0 : static_cast<int>(std::nearbyint(std::clamp<double>(v, low, 1) * steps));
  };
  const auto pack = [](int low, int high) { return static_cast<uint32_t>((low & 0xffff) | high << 16); };
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(got[3 * i], pack(step(a[i], -1, 32767), step(b[i], -1, 32767))) << a[i] << ", " << b[i];
    ASSERT_EQ(got[3 * i + 1], pack(step(a[i], 0, 65535), step(b[i], 0, 65535))) << a[i] << ", " << b[i];
    for (unsigned k = 0; k < 3; ++k) {
      const float scaled = a[i] * 200;  // the compiler may fuse it with the sum
      const float value = scaled + static_cast<float>(k), fused = std::fma(a[i], 200.0f, static_cast<float>(k));
      const auto byte = [](float v) {
        return std::isnan(v) ? 0u : static_cast<uint32_t>(std::nearbyint(std::clamp(v, 0.0f, 255.0f)));
      };
      const uint32_t there = got[3 * i + 2] >> 8 * k & 255;
      ASSERT_TRUE(there == byte(value) || there == byte(fused)) << value << ": " << there;
    }
    ASSERT_EQ(got[3 * i + 2] >> 24, i >> 24);
  }
}

TEST(real, transcendental) {
  auto a = random_reals<float>(kCount, -60, 60, 8);
  // Large arguments, and where sin and log cancel.
  const float special[] = {1e10f, -0x1p100f, 0x1p-70f, 3.14159274f, 1.00000012f, 0.99999994f, 22.0f, -1e5f};
  std::copy(std::begin(special), std::end(special), a.begin());
  const DeviceArray<float> da(a), out(12 * kCount);
  launch("real", "transcendental", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  constexpr double kBounds[] = {4, 4, 3, 3, 16, 5, 6, 5, 2, 16, 2, 3};  // ulp, OpenCL 3.0 C table 65
  for (unsigned i = 0; i < kCount; ++i) {
    const long double x = a[i], positive = std::fabs(x);
    const long double expected[] = {std::sin(x),
                                    std::cos(x),
                                    std::exp(static_cast<long double>(a[i] * 0x1p-3f)),
                                    std::log(positive),
                                    std::pow(positive, static_cast<long double>(1.3f)),
                                    std::tan(x),
                                    std::atan2(x, static_cast<long double>(0.7f)),
                                    std::tanh(static_cast<long double>(a[i] * 0x1p-5f)),
                                    std::cbrt(x),
                                    std::erf(static_cast<long double>(a[i] * 0x1p-6f)),
                                    std::log1p(positive),
                                    std::exp2(static_cast<long double>(a[i] * 0x1p-3f))};
    for (int k = 0; k < 12; ++k) {
      ASSERT_LE(ulps(got[12 * i + k], expected[k]), kBounds[k])
          << "function " << k << " of " << a[i] << " is " << got[12 * i + k] << ", not " << expected[k];
    }
  }
}

TEST(real, special) {
  const auto a = wild(9), b = wild(10, 1);
  const DeviceArray<float> da(a), db(b), out(6 * kCount);
  const DeviceArray<int> flags(kCount);
  launch("real", "special", cover(kCount), da.get(), db.get(), flags.get(), out.get(), kCount);
  const auto got = out.download();
  const auto f = flags.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const float x = a[i], y = b[i];
    const std::string of = std::to_string(x) + ", " + std::to_string(y);
    ASSERT_EQ(f[i], std::isnan(x) | std::isinf(x) << 1 | std::isfinite(x) << 2 | (std::signbit(x) != 0) << 3 |
                        (x < y) << 4 | (x >= y) << 5 | std::isnormal(x) << 6 | (x == y) << 7)
        << of;
    int exponent = 0;
    float whole = 0;
    const float expected[] = {std::frexp(x, &exponent),
                              std::isfinite(x) ? static_cast<float>(exponent) : 0,
                              std::ldexp(x, -37),
                              std::fmod(x, y),
                              std::copysign(std::modf(x, &whole), y),
                              std::nextafter(x, y)};
    for (int k = 0; k < 6; ++k)
      ASSERT_NO_FATAL_FAILURE(expect_same(got[6 * i + k], expected[k], "operation " + std::to_string(k) + " of " + of));
  }
}

TEST(real, fast) {
  const auto a = random_reals<float>(kCount, 0.1f, 20, 11);
  const DeviceArray<float> da(a), out(6 * kCount);
  launch("real", "fast", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double x = a[i];
    // Relative, if the fast form multiplies before it rounds; absolute for sin.
    EXPECT_NEAR(got[6 * i] / std::exp(x), 1, 4e-6);
    EXPECT_NEAR(got[6 * i + 1], std::log(x), 2e-6);
    EXPECT_NEAR(got[6 * i + 2], std::sin(x), 4e-6);
    EXPECT_NEAR(got[6 * i + 3] / std::sqrt(x), 1, 2e-6);
    EXPECT_NEAR(got[6 * i + 4] * std::sqrt(x), 1, 3e-7);
    EXPECT_NEAR(got[6 * i + 5] * x, 1, 3e-7);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
