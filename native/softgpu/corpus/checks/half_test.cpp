// Oracle: doubles, in which sums and products of halves are exact, rounded once to half by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/half.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 600;

std::vector<uint16_t> halves(size_t count, double low, double high, uint32_t seed) {
  std::vector<uint16_t> values;
  for (double value : random_reals<double>(count, low, high, seed)) values.push_back(to_half(value));
  return values;
}

std::vector<uint16_t> wild(uint32_t seed) {
  std::vector<uint16_t> values;
  for (uint32_t word : random_words(kCount, seed)) values.push_back(static_cast<uint16_t>(word));
  const uint16_t special[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x3ff, 0x400, 0x7bff};
  for (unsigned i = 0; i < 100; ++i) values[i] = special[(seed % 2 != 0 ? i / 10 : i) % 10];
  return values;
}

// x * y + z, rounded to odd: rounding it to half afterwards is then as if done once. A product of halves is exact.
double exact_enough_fma(double x, double y, double z) {
  const double sum = x * y + z;
  if (!std::isfinite(sum)) return sum;
  const double back = sum - x * y, lost = (x * y - (sum - back)) + (z - back);
  if (lost == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}

TEST(half, arithmetic) {
  const auto a = wild(1), b = wild(2), c = wild(4);
  const DeviceArray<uint16_t> da(a), db(b), dc(c), out(8 * kCount);
  launch("half", "arithmetic", cover(kCount), da.get(), db.get(), dc.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double x = from_half(a[i]), y = from_half(b[i]), z = from_half(c[i]);
    const double expected[] = {
        x + y, x - y, x * y, exact_enough_fma(x, y, z), x / y, std::sqrt(std::fabs(x)), -x, std::nearbyint(x)};
    for (int k = 0; k < 8; ++k) {
      const int bound = k == 4 || k == 5 ? 1 : 0;  // the language allows 1 ulp for division and square root of halves
      ASSERT_LE(half_steps(got[8 * i + k], to_half(expected[k])), bound)
          << "operation " << k << " of " << x << ", " << y << ", " << z << " is " << from_half(got[8 * i + k]);
    }
  }
}

TEST(half, packed) {
  const auto a = halves(2 * kCount, -40, 40, 5), b = halves(2 * kCount, -40, 40, 6),
             c = halves(2 * kCount, -900, 900, 7);
  const DeviceArray<uint16_t> da(a), db(b), dc(c), out(10 * kCount);
  launch("half", "packed", cover(kCount), da.get(), db.get(), dc.get(), out.get(), kCount);
  const auto got = out.download();
  const auto value = [](const std::vector<uint16_t>& of, unsigned i) { return from_half(of[i]); };
  for (unsigned i = 0; i < 2 * kCount; ++i) {
    const unsigned low = i & ~1u, high = i | 1, other = i ^ 1;
    const double expected[] = {value(a, i) + value(b, i), value(a, i) * value(b, i),
                               exact_enough_fma(value(a, i), value(b, i), value(c, i)), value(a, other) - value(b, i),
                               exact_enough_fma(value(a, low), value(b, high), -value(c, i))};
    for (unsigned k = 0; k < 5; ++k) {
      const unsigned where = (i / 2 * 5 + k) * 2 + i % 2;
      ASSERT_EQ(got[where], to_half(expected[k]))
          << "operation " << k << ": " << from_half(got[where]) << ", not " << expected[k];
    }
  }
}

TEST(half, comparisons) {
  const auto a = wild(8), b = wild(9);
  const DeviceArray<uint16_t> da(a), db(b), chosen(2 * kCount);
  const DeviceArray<int> out(kCount);
  launch("half", "comparisons", cover(kCount), da.get(), db.get(), out.get(), chosen.get(), kCount);
  const auto got = out.download();
  const auto pair = chosen.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double x = from_half(a[i]), y = from_half(b[i]);
    ASSERT_EQ(got[i], (x == y) | (x < y) << 1 | (x >= y) << 2 | (x != y) << 3 | std::isnan(x) << 4 | (x > y) << 5)
        << x << ", " << y;
    ASSERT_EQ(half_steps(pair[2 * i], to_half(std::fmin(x, y))), 0) << x << ", " << y;
    ASSERT_EQ(half_steps(pair[2 * i + 1], to_half(std::fmax(x, y))), 0) << x << ", " << y;
  }
}

// Toward zero: the half nearest below in magnitude.
uint16_t truncated(float value) {
  const uint16_t near = to_half(value);
  return std::fabs(from_half(near)) > std::fabs(value) ? static_cast<uint16_t>(near - 1) : near;
}

TEST(half, conversions) {
  auto a = random_reals<float>(kCount, -70000, 70000, 10);
  for (unsigned i = 0; i < kCount; i += 3) a[i] *= 0x1p-30f;  // denormal halves
  std::vector<int32_t> words;
  for (uint32_t word : random_words(kCount, 11)) words.push_back(static_cast<int32_t>(word) >> (word % 24));
  const DeviceArray<float> da(a), floats(kCount);
  const DeviceArray<int32_t> dwords(words), integers(2 * kCount);
  const DeviceArray<uint16_t> out(4 * kCount);
  launch("half", "conversions", cover(kCount), da.get(), dwords.get(), out.get(), floats.get(), integers.get(), kCount);
  const auto h = out.download();
  const auto f = floats.download();
  const auto n = integers.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(h[4 * i], to_half(a[i])) << a[i];
    ASSERT_EQ(h[4 * i + 1], truncated(a[i])) << a[i];
    ASSERT_EQ(h[4 * i + 2], to_half(words[i])) << words[i];
    ASSERT_EQ(h[4 * i + 3], to_half(static_cast<uint16_t>(words[i]))) << words[i];
    const double back = from_half(to_half(a[i] * 0x1p-4f));
    ASSERT_EQ(f[i], static_cast<float>(back));
    ASSERT_EQ(n[2 * i], static_cast<int>(back));
    ASSERT_EQ(n[2 * i + 1], static_cast<int16_t>(back));
  }
}

TEST(half, transcendental) {
  const auto a = halves(kCount, -9, 9, 12);
  const DeviceArray<uint16_t> da(a), out(7 * kCount);
  launch("half", "transcendental", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const double x = from_half(a[i]), magnitude = std::fabs(x);
    const double turns = from_half(to_half(x / 16)) * 2 * std::acos(-1.0);
    const double expected[] = {std::sin(turns),      std::cos(turns),          std::exp(x), std::log(magnitude),
                               std::log2(magnitude), 1 / std::sqrt(magnitude), 1 / x};
    for (int k = 0; k < 7; ++k) {  // 2 ulp: OpenCL 3.0 C, half precision
      ASSERT_LE(half_steps(got[7 * i + k], to_half(expected[k])), 2)
          << "function " << k << " of " << x << ": " << from_half(got[7 * i + k]);
    }
  }
}

TEST(half, dot) {
  // Small integers: every sum is exact, in any order.
  std::vector<uint16_t> a, b;
  for (uint32_t word : random_words(2 * kCount, 13))
    a.push_back(to_half(static_cast<int>(word % 64) - 32)), b.push_back(to_half(static_cast<int>(word >> 8 & 63) - 32));
  const DeviceArray<uint16_t> da(a), db(b);
  const DeviceArray<float> out(kCount);
  launch("half", "dot", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    double sum = 0;
    for (unsigned k = 0; k < 16; ++k)
      for (unsigned half = 0; half < 2; ++half)
        sum += from_half(a[2 * ((i + k) % kCount) + half]) * from_half(b[2 * ((i + 3 * k) % kCount) + half]);
    ASSERT_EQ(got[i], sum);
  }
}

TEST(half, mixed) {
  const auto a = halves(kCount, -2, 2, 14), b = halves(kCount, -2, 2, 15);
  const DeviceArray<uint16_t> da(a), db(b), out(kCount);
  launch("half", "mixed", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    float sum = 0;
    for (unsigned k = 0; k < 32; ++k)
      sum = std::fma(static_cast<float>(from_half(a[(i + k) % kCount])),
                     static_cast<float>(from_half(b[(i + 7 * k) % kCount])), sum);
    ASSERT_EQ(got[i], to_half(sum));
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
