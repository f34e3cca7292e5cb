// Oracle: the same control flow, one thread after the other.
#include <gtest/gtest.h>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 777;

std::vector<int> numbers(uint32_t seed) {
  std::vector<int> values;
  for (uint32_t word : random_words(kCount, seed)) values.push_back(static_cast<int>(word % 200) - 40);
  return values;
}

int early_exit(int x) {
  if (x < 0) return -1;
  for (int k = 0; k < x; ++k)
    if (k * k > x) return k;
  return 1000 + x;
}

TEST(control, early_exit) {
  const auto in = numbers(1);
  const DeviceArray<int> din(in), out(kCount);
  launch("control", "early_exit", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], early_exit(in[i])) << in[i];
}

TEST(control, collatz) {
  std::vector<uint32_t> in;
  for (unsigned i = 0; i < kCount; ++i) in.push_back(i * 37 % 1000);
  const DeviceArray<uint32_t> din(in), out(kCount);
  launch("control", "collatz", cover(kCount, 96), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint32_t steps = 0;
    for (uint64_t x = in[i]; x > 1; x = x % 2 ? 3 * x + 1 : x / 2) ++steps;
    ASSERT_EQ(got[i], steps) << in[i];
  }
}

int nested(int n) {
  int sum = 0;
  for (int a = 0; a < n % 7; ++a) {
    if ((a + n) % 3 == 0) continue;
    for (int b = a; b < n % 11 && b != 8; ++b) {
      if ((a + b) % 2 != 0) {
        sum += a * b;
        if (sum > 40) return sum;
      } else {
        sum -= (b & a) != 0 ? 1 : 2;
      }
    }
    sum *= 2;
  }
  return sum;
}

TEST(control, nested) {
  const auto in = numbers(2);
  const DeviceArray<int> din(in), out(kCount);
  launch("control", "nested", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], nested(in[i])) << in[i];
}

uint32_t switches(uint32_t x) {
  uint32_t state = x % 8, steps = 0;
  for (; steps < 20; ++steps) {
    if (state == 0) {
      x = x * 5 + 1, state = x >> 3 & 7;
    } else if (state == 1 || state == 2) {
      if (state == 1) x ^= x >> 7;
      x += 77, state = 4;
    } else if (state == 3) {
      x = ~x, state = x % 3;
    } else if (state == 4) {
      state = x & 1 ? 6 : 5;
    } else if (state == 5) {
      x >>= 1, state = 7;
    } else if (state == 6) {
      x = x << 3 | x >> 29, state = x % 5;
    } else {
      x += steps, state = x % 7;
    }
    if (x == 0) break;
  }
  return x ^ steps << 24;
}

TEST(control, switches) {
  auto in = random_words(kCount, 3);
  for (unsigned i = 0; i < 64; ++i) in[i] = i;
  const DeviceArray<uint32_t> din(in), out(kCount);
  launch("control", "switches", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) ASSERT_EQ(got[i], switches(in[i])) << in[i];
}

TEST(control, uniform_loop) {
  constexpr unsigned kBlock = 96;
  const std::vector<int> rounds{0, 1, 7, 30, 2};
  const DeviceArray<int> drounds(rounds), out(rounds.size() * kBlock);
  launch("control", "uniform_loop", Shape{dim3(static_cast<unsigned>(rounds.size())), dim3(kBlock)}, drounds.get(),
         out.get());
  const auto got = out.download();
  for (unsigned i = 0; i < got.size(); ++i) {
    const int n = rounds[i / kBlock];
    ASSERT_EQ(got[i], (static_cast<int>(i % kBlock) + n) % static_cast<int>(kBlock) + n * (n - 1) / 2);
  }
}

TEST(control, three_dimensions) {
  constexpr unsigned kWidth = 21, kHeight = 10, kDepth = 5;
  const DeviceArray<uint32_t> out(kWidth * kHeight * kDepth);
  launch("control", "three_dimensions", Shape{dim3(3, 3, 3), dim3(8, 4, 2)}, out.get(), kWidth, kHeight, kDepth);
  const auto got = out.download();
  for (unsigned i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], i % kWidth | i / kWidth % kHeight << 8 | i / kWidth / kHeight << 16 | 9u << 24);
}

uint32_t churn(uint32_t x, int n) {
  for (int k = 0; k < n; ++k) x = (x ^ x >> (k % 13 + 1)) * (2654435761u + 2 * static_cast<uint32_t>(k));
  return x;
}

TEST(control, long_branches) {
  const auto in = random_words(kCount, 4);
  const DeviceArray<uint32_t> din(in), out(kCount);
  launch("control", "long_branches", cover(kCount), din.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint32_t x = in[i];
    for (uint32_t round = 0; round < in[i] % 4; ++round) {
      if (x & 1) {
        x = churn(x, 1500);
        if (x & 2) continue;
        x += 3;
      }
      x = churn(x + round, 1800);
    }
    ASSERT_EQ(got[i], x);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
