// Oracle: the host's IEEE doubles to the bit; long double, with the bound of OpenCL's full profile, for the math
// library.
#include <gtest/gtest.h>

#include <cmath>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"
#include "softgpu/corpus/harness/ulp.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 500;

// Any bit pattern, so any exponent; then the special values in every order.
std::vector<double> wild(uint32_t seed, unsigned turn = 0) {
  std::vector<double> values;
  for (uint64_t word : random_longs(kCount, seed)) values.push_back(std::bit_cast<double>(word));
  const double special[] = {0.0,       -0.0,       INFINITY, -INFINITY, NAN,
                            0x1p-1074, -0x1p-1023, 1,        -1.5,      0x1.fffffffffffffp1023};
  for (unsigned i = 0; i < 100; ++i) values[i] = special[(turn ? i / 10 : i) % 10];
  return values;
}

void expect_same(double got, double expected, const std::string& what) {
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(got)) << what << ": " << got;
  } else {
    ASSERT_EQ(std::bit_cast<uint64_t>(got), std::bit_cast<uint64_t>(expected))
        << what << ": " << got << ", not " << expected;
  }
}

TEST(double, divide) {
  const auto a = wild(1), b = wild(2, 1);
  const DeviceArray<double> da(a), db(b), quotient(kCount), root(kCount);
  launch("double", "divide", cover(kCount), da.get(), db.get(), quotient.get(), root.get(), kCount);
  const auto q = quotient.download(), r = root.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_same(q[i], a[i] / b[i], "quotient " + std::to_string(i)));
    ASSERT_NO_FATAL_FAILURE(expect_same(r[i], std::sqrt(std::fabs(a[i])), "root " + std::to_string(i)));
  }
}

TEST(double, fused) {
  const auto a = random_reals<double>(kCount, -4, 4, 3), b = random_reals<double>(kCount, -4, 4, 4);
  auto c = random_reals<double>(kCount, -4, 4, 5);
  for (unsigned i = 0; i < kCount; i += 2)
    c[i] = -a[i] * b[i];  // all bits that an fma keeps, and none that a product does
  const DeviceArray<double> da(a), db(b), dc(c), out(6 * kCount);
  launch("double", "fused", cover(kCount), da.get(), db.get(), dc.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double expected[] = {std::fma(a[i], b[i], c[i]), a[i] * b[i] + c[i], std::fmin(a[i], b[i]),
                               std::fmax(a[i], -b[i]),     a[i] - b[i],        std::fabs(a[i]) * -c[i]};
    for (int k = 0; k < 6; ++k)
      ASSERT_NO_FATAL_FAILURE(expect_same(got[6 * i + k], expected[k], "operation " + std::to_string(k)));
  }
}

TEST(double, rounding) {
  auto a = random_reals<double>(kCount, -100, 100, 6);
  const double special[] = {0.5,    1.5,       2.5,  -0.5, -1.5, 0.49999999999999994, -0.0, 4503599627370497.5,
                            0x1p52, 0x1p-1074, 1e300};
  std::copy(std::begin(special), std::end(special), a.begin());
  const DeviceArray<double> da(a), out(8 * kCount);
  launch("double", "rounding", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double x = a[i];
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    const double expected[] = {std::floor(x),
                               std::ceil(x),
                               std::trunc(x),
                               std::nearbyint(x),
                               std::round(x),
                               fraction,
                               static_cast<double>(exponent),
                               std::ldexp(x, exponent - 5)};
    for (int k = 0; k < 8; ++k) {
      const std::string what = "rounding " + std::to_string(k) + " of " + std::to_string(x);
      // LLVM 15 expands round() so that it loses the sign of zero: trunc(x) + 0.
      const bool zero = k == 4 && expected[k] == 0;
      ASSERT_NO_FATAL_FAILURE(
          expect_same(zero ? std::fabs(got[8 * i + k]) : got[8 * i + k], zero ? 0 : expected[k], what));
    }
  }
}

TEST(double, conversions) {
  const auto a = random_reals<double>(kCount, -0x1p62, 0x1p62, 7);
  std::vector<int64_t> words;
  for (uint64_t word : random_longs(kCount, 8)) words.push_back(static_cast<int64_t>(word));
  const DeviceArray<double> da(a), from(4 * kCount);
  const DeviceArray<int64_t> dwords(words), to(4 * kCount);
  launch("double", "conversions", cover(kCount), da.get(), dwords.get(), from.get(), to.get(), kCount);
  const auto f = from.download();
  const auto t = to.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(f[4 * i], static_cast<double>(words[i]));
    ASSERT_EQ(f[4 * i + 1], static_cast<double>(static_cast<uint64_t>(words[i])));
    ASSERT_EQ(f[4 * i + 2], static_cast<double>(static_cast<int32_t>(words[i])));
    ASSERT_EQ(f[4 * i + 3], static_cast<double>(static_cast<float>(a[i])));
    ASSERT_EQ(t[4 * i], static_cast<int64_t>(a[i]));
    ASSERT_EQ(t[4 * i + 1], static_cast<int64_t>(static_cast<uint64_t>(std::fabs(a[i]))));
    ASSERT_EQ(t[4 * i + 2], static_cast<int64_t>(static_cast<int32_t>(a[i] * 0x1p-32)));
    ASSERT_EQ(t[4 * i + 3], std::llrint(a[i]));
  }
}

TEST(double, classes) {
  const auto a = wild(9), b = wild(10, 1);
  const DeviceArray<double> da(a), db(b);
  const DeviceArray<int32_t> out(kCount);
  launch("double", "classes", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double x = a[i], y = b[i];
    const int expected = std::isnan(x) | std::isinf(x) << 1 | std::isfinite(x) << 2 | (std::signbit(x) != 0) << 3 |
                         (x < y) << 4 | (x == y) << 5 | !(x <= y) << 6 | (x != y) << 7;
    ASSERT_EQ(got[i], expected) << x << ", " << y;
  }
}

TEST(double, transcendental) {
  auto a = random_reals<double>(kCount, -300, 300, 11);
  a[0] = 1e22, a[1] = -0x1p100, a[2] = 0x1p-40,
  a[3] = 3.14159265358979311600;  // large arguments, and where sin cancels
  const DeviceArray<double> da(a), out(9 * kCount);
  launch("double", "transcendental", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  constexpr double kBounds[] = {4, 4, 3, 3, 6, 16, 5, 2, 16};  // ulp, OpenCL 3.0 C table 65
  double worst[9] = {};
  for (unsigned i = 0; i < kCount; ++i) {
    const long double x = a[i];
    const long double expected[] = {std::sin(x),
                                    std::cos(x),
                                    std::exp(static_cast<long double>(a[i] * 0x1p-6)),
                                    std::log(std::fabs(x)),
                                    std::atan2(x, 1.5L),
                                    std::pow(std::fabs(x), static_cast<long double>(0.7)),
                                    std::tanh(static_cast<long double>(a[i] * 0x1p-9)),
                                    std::cbrt(x),
                                    std::erf(static_cast<long double>(a[i] * 0x1p-8))};
    for (int k = 0; k < 9; ++k) {
      worst[k] = std::max(worst[k], ulps(got[9 * i + k], expected[k]));
      ASSERT_LE(worst[k], kBounds[k]) << "function " << k << " of " << a[i] << " is " << got[9 * i + k] << ", not "
                                      << expected[k];
    }
  }
}

TEST(double, remainders) {
  const auto a = random_reals<double>(kCount, -1e9, 1e9, 12), b = random_reals<double>(kCount, 0.1, 50, 13);
  const DeviceArray<double> da(a), db(b), out(2 * kCount);
  launch("double", "remainders", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(got[2 * i], std::fmod(a[i], b[i]));
    ASSERT_EQ(got[2 * i + 1], std::remainder(a[i], b[i]));
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
