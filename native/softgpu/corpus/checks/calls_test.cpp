// Oracle: the same functions on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 300;

uint32_t mix(uint32_t a, uint32_t b) {
  return (a ^ b >> 3) * 2654435761u + b;
}

TEST(calls, chained) {
  const auto in = random_words(kCount, 1);
  const DeviceArray<uint32_t> din(in), out(kCount);
  launch("calls", "chained", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint32_t x = mix(in[i], i);
    for (uint32_t k = 0; k < in[i] % 5; ++k) x = mix(x, in[i] + k) ^ mix(i, x);
    ASSERT_EQ(got[i], x);
  }
}

uint32_t fibonacci(uint32_t n) {
  uint32_t a = 0, b = 1;
  for (; n > 0; --n) b = std::exchange(a, b) + b;
  return a;
}

// In closed form for the first three rows.
uint32_t ackermann(uint32_t m, uint32_t n) {
  return m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3;
}

TEST(calls, recursion) {
  const auto in = random_words(kCount, 2);
  const DeviceArray<uint32_t> din(in), out(2 * kCount);
  launch("calls", "recursion", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(got[2 * i], fibonacci(in[i] % 13));
    ASSERT_EQ(got[2 * i + 1], ackermann(in[i] % 3, in[i] % 4));
  }
}

TEST(calls, sort_private) {
  std::vector<int> in;
  for (uint32_t word : random_words(12 * kCount, 3)) in.push_back(static_cast<int>(word % 40) - 20);
  const DeviceArray<int> din(in), out(12 * kCount);
  launch("calls", "sort_private", cover(kCount, 64), din.get(), out.get(), kCount);
  for (unsigned i = 0; i < kCount; ++i) std::sort(in.begin() + 12 * i, in.begin() + 12 * (i + 1));
  EXPECT_EQ(out.download(), in);
}

TEST(calls, pointers) {
  const auto a = random_reals<float>(kCount, -3, 3, 4);
  const auto which = random_words(kCount, 5);
  const DeviceArray<float> da(a), out(kCount);
  const DeviceArray<uint32_t> dwhich(which);
  launch("calls", "pointers", cover(kCount), da.get(), dwhich.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    float x = a[i];
    for (unsigned k = 0; k < 4; ++k) {
      const float y = a[(i + k) % kCount];
      const float results[] = {x + y, x - y, x * y, std::max(x, y)};
      x = results[which[i] >> (2 * k) & 3];
    }
    ASSERT_EQ(got[i], x);
  }
}

TEST(calls, virtuals) {
  // Eighths: every product and sum is exact, contracted or not.
  std::vector<float> a;
  for (uint32_t word : random_words(kCount, 6)) a.push_back(static_cast<float>(word % 256) / 8);
  const DeviceArray<float> da(a), out(kCount);
  launch("calls", "virtuals", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], i % 3 == 0 ? a[i] * a[i] * 3 : a[i] * 1.5f * 5);
}

using Matrix = std::array<float, 9>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c[3 * i + j] = std::fma(a[3 * i], b[j], std::fma(a[3 * i + 1], b[3 + j], a[3 * i + 2] * b[6 + j]));
  return c;
}

TEST(calls, structures) {
  std::vector<Matrix> in(kCount);
  const auto values = random_reals<float>(9 * kCount, -1, 1, 7);
  for (unsigned i = 0; i < 9 * kCount; ++i) in[i / 9][i % 9] = values[i];
  const Matrix by{1, 2, 3, -4, 5, -6, 7, 8, -9};
  const DeviceArray<Matrix> din(in), out(kCount);
  launch("calls", "structures", cover(kCount), by, din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], product(in[i], product(by, in[i])));
}

TEST(calls, many_arguments) {
  std::vector<int> in;
  for (unsigned i = 0; i < kCount; ++i) in.push_back(static_cast<int>(i * 13 % 500));
  const DeviceArray<int> din(in);
  const DeviceArray<double> out(kCount);
  launch("calls", "many_arguments", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const int x = in[i] % 50, m = in[i] % 16;
    ASSERT_EQ(got[i], x + 2 * (x + 1) + 3 * (x + 2) + 4 * (x + 3) + 5 * (x + 4) + 6 * (x + 5) + (m + 7) + (x + 6) +
                          (m + 2) + (x + 7) + (m + 4) + (x + 8));
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
