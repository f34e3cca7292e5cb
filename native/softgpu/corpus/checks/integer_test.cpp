// Oracle: the same expressions on the host, in the host's integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kCount = 1000;  // not a multiple of a block

// Random, with the values at which division sequences go wrong.
template <typename T>
std::vector<T> dividends(uint32_t seed) {
  std::vector<T> values;
  for (uint64_t word : random_longs(kCount, seed)) values.push_back(static_cast<T>(word >> (word % (sizeof(T) * 8))));
  const T smallest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
  const T edges[] = {0, 1, -1, smallest, largest, static_cast<T>(smallest + 1), 2, -2};
  std::copy(std::begin(edges), std::end(edges), values.begin());
  return values;
}

// No zeros, and no -1 if a quotient would not fit.
template <typename T>
std::vector<T> divisors(const std::vector<T>& of, uint32_t seed) {
  std::vector<T> values = dividends<T>(seed);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) values[i] = 7;
    if (values[i] == -1 && of[i] == std::numeric_limits<T>::min()) values[i] = 3;
  }
  std::rotate(values.begin(), values.begin() + 3, values.begin() + 8);
  for (size_t i = 0; i < 8; ++i)
    if (values[i] == -1 && of[i] == std::numeric_limits<T>::min()) values[i] = 3;
  return values;
}

template <typename T, typename U>
void check_division(const char* name) {
  const std::vector<T> a = dividends<T>(11), b = divisors(a, 12);
  const DeviceArray<T> da(a), db(b), quotient(kCount), remainder(kCount);
  const DeviceArray<U> uquotient(kCount);
  launch("integer", name, cover(kCount), da.get(), db.get(), quotient.get(), remainder.get(), uquotient.get(), kCount);
  const auto q = quotient.download(), r = remainder.download();
  const auto u = uquotient.download();
  for (unsigned i = 0; i < kCount; ++i) {
    ASSERT_EQ(q[i], a[i] / b[i]) << a[i] << " / " << b[i];
    ASSERT_EQ(r[i], a[i] % b[i]) << a[i] << " % " << b[i];
    ASSERT_EQ(u[i], static_cast<U>(a[i]) / static_cast<U>(b[i])) << i;
  }
}

TEST(integer, divide32) {
  check_division<int32_t, uint32_t>("divide32");
}

TEST(integer, divide64) {
  check_division<int64_t, uint64_t>("divide64");
}

TEST(integer, multiply64) {
  const auto a = random_longs(kCount, 3), b = random_longs(kCount, 4);
  const DeviceArray<uint64_t> da(a), db(b), low(kCount), high(kCount);
  const DeviceArray<int64_t> shigh(kCount);
  launch("integer", "multiply64", cover(kCount), da.get(), db.get(), low.get(), high.get(), shigh.get(), kCount);
  const auto l = low.download(), h = high.download();
  const auto s = shigh.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const auto product = static_cast<unsigned __int128>(a[i]) * b[i];
    const auto sproduct = static_cast<__int128>(static_cast<int64_t>(a[i])) * static_cast<int64_t>(b[i]);
    ASSERT_EQ(l[i], static_cast<uint64_t>(product));
    ASSERT_EQ(h[i], static_cast<uint64_t>(product >> 64));
    ASSERT_EQ(s[i], static_cast<int64_t>(sproduct >> 64));
  }
}

TEST(integer, shifts64) {
  const auto a = random_longs(kCount, 5);
  auto by = random_words(kCount, 6);
  by[0] = 0, by[1] = 63, by[2] = 32, by[3] = 31;
  const DeviceArray<uint64_t> da(a), out(4 * kCount);
  const DeviceArray<uint32_t> dby(by);
  launch("integer", "shifts64", cover(kCount), da.get(), dby.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned s = by[i] & 63;
    ASSERT_EQ(got[4 * i], a[i] << s);
    ASSERT_EQ(got[4 * i + 1], a[i] >> s);
    ASSERT_EQ(got[4 * i + 2], static_cast<uint64_t>(static_cast<int64_t>(a[i]) >> s));
    ASSERT_EQ(got[4 * i + 3], std::rotl(a[i], static_cast<int>(s)));
  }
}

uint32_t reversed(uint32_t word) {
  uint32_t out = 0;
  for (int bit = 0; bit < 32; ++bit) out |= (word >> bit & 1) << (31 - bit);
  return out;
}

// PRMT: the low three bits of each selector nibble name a byte of y:x.
uint32_t byte_permutation(uint32_t x, uint32_t y, uint32_t selector) {
  const uint64_t source = static_cast<uint64_t>(y) << 32 | x;
  uint32_t out = 0;
  for (int k = 0; k < 4; ++k) out |= static_cast<uint32_t>(source >> (8 * (selector >> (4 * k) & 7)) & 255) << (8 * k);
  return out;
}

TEST(integer, bits) {
  auto a = random_words(kCount, 7);
  a[0] = 0, a[1] = ~0u, a[2] = 1, a[3] = 0x80000000;
  const DeviceArray<uint32_t> da(a), out(8 * kCount);
  launch("integer", "bits", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const uint32_t x = a[i], y = a[(i + 1) % kCount], s = y & 31;
    const uint32_t mask = ((1u << 13) - 1) << 7;
    const uint32_t expected[] = {static_cast<uint32_t>(std::popcount(x)),
                                 static_cast<uint32_t>(std::countl_zero(x)),
                                 x == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(x)) + 1,
                                 reversed(x),
                                 byte_permutation(x, y, 0x6152),
                                 static_cast<uint32_t>((static_cast<uint64_t>(y) << 32 | x) << s >> 32),
                                 x >> 5 & 0x7ff,
                                 (x & ~mask) | (y << 7 & mask)};
    for (int k = 0; k < 8; ++k) ASSERT_EQ(got[8 * i + k], expected[k]) << "operation " << k << " of " << x << ", " << y;
  }
}

TEST(integer, bits64) {
  auto a = random_longs(kCount, 8);
  a[0] = 0, a[1] = ~uint64_t{0}, a[2] = 1, a[3] = uint64_t{1} << 63, a[4] = uint64_t{1} << 32;
  const DeviceArray<uint64_t> da(a), out(4 * kCount);
  launch("integer", "bits64", cover(kCount), da.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const uint64_t x = a[i];
    ASSERT_EQ(got[4 * i], static_cast<uint64_t>(std::popcount(x)));
    ASSERT_EQ(got[4 * i + 1], static_cast<uint64_t>(std::countl_zero(x)));
    ASSERT_EQ(got[4 * i + 2], x == 0 ? 0 : static_cast<uint64_t>(std::countr_zero(x)) + 1);
    ASSERT_EQ(got[4 * i + 3], static_cast<uint64_t>(reversed(static_cast<uint32_t>(x))) << 32 |
                                  reversed(static_cast<uint32_t>(x >> 32)));
  }
}

TEST(integer, bytes_blend) {
  const auto over = random_words(kCount, 9), under = random_words(kCount, 10);
  const DeviceArray<uint32_t> dover(over), dunder(under), out(kCount);
  launch("integer", "bytes_blend", cover(kCount), dover.get(), dunder.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const uint32_t alpha = over[i] >> 24;
    for (int k = 0; k < 32; k += 8) {
      const uint32_t mixed = ((over[i] >> k & 255) * alpha + (under[i] >> k & 255) * (255 - alpha) + 127) / 255;
      ASSERT_EQ(got[i] >> k & 255, mixed);
    }
  }
}

TEST(integer, signed_bytes) {
  const auto a = random_words(kCount, 13), b = random_words(kCount, 14);
  const DeviceArray<uint32_t> da(a), db(b), products(kCount);
  const DeviceArray<int16_t> sums(4 * kCount);
  launch("integer", "signed_bytes", cover(kCount), da.get(), db.get(), sums.get(), products.get(), kCount);
  const auto s = sums.download();
  const auto p = products.download();
  for (unsigned i = 0; i < kCount; ++i) {
    int x[4], y[4];
    for (int k = 0; k < 4; ++k)
      x[k] = static_cast<int8_t>(a[i] >> (8 * k)), y[k] = static_cast<int8_t>(b[i] >> (8 * k));
    const int expected[] = {x[0] * y[0], x[1] * y[1] >> 3, x[2] & y[2], std::max(x[3], y[3])};
    for (int k = 0; k < 4; ++k) {
      ASSERT_EQ(s[4 * i + k], k % 2 == 0 ? x[k] + y[k] : x[k] - y[k]);
      ASSERT_EQ(static_cast<uint8_t>(p[i] >> (8 * k)), static_cast<uint8_t>(expected[k])) << "product " << k;
    }
  }
}

TEST(integer, packed_shorts) {
  const auto a = random_words(kCount, 15), b = random_words(kCount, 16);
  const DeviceArray<uint32_t> da(a), db(b), out(6 * kCount);
  launch("integer", "packed_shorts", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    for (int half = 0; half < 32; half += 16) {
      const int x = static_cast<int16_t>(a[i] >> half), y = static_cast<int16_t>(b[i] >> half);
      const int expected[] = {x * y + x, x - y, std::max(x, y), std::min(x, y), x >> (y & 15), x << (y & 15)};
      for (int k = 0; k < 6; ++k) {
        ASSERT_EQ(static_cast<uint16_t>(got[6 * i + k] >> half), static_cast<uint16_t>(expected[k]))
            << "operation " << k << " of " << x << ", " << y;
      }
    }
  }
}

TEST(integer, wide) {
  const auto a = random_longs(kCount, 17), b = random_longs(kCount, 18);
  const DeviceArray<uint64_t> da(a), db(b), out(5 * kCount);
  launch("integer", "wide", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    const auto product = static_cast<unsigned __int128>(a[i]) * b[i] + a[i];
    const auto difference = product - (static_cast<unsigned __int128>(b[i]) << 61);
    const uint32_t divisor = static_cast<uint32_t>(b[i]) | 1;
    const auto quotient = product / divisor;
    const uint64_t expected[] = {static_cast<uint64_t>(difference), static_cast<uint64_t>(difference >> 64),
                                 static_cast<uint64_t>(quotient), static_cast<uint64_t>(quotient >> 64),
                                 static_cast<uint64_t>(product % divisor)};
    for (int k = 0; k < 5; ++k) ASSERT_EQ(got[5 * i + k], expected[k]) << "word " << k;
  }
}

int low24(uint32_t word) {
  return static_cast<int>(word << 8) >> 8;
}

TEST(integer, dot_products) {
  const auto a = random_words(kCount, 19), b = random_words(kCount, 20), start = random_words(kCount, 21);
  const DeviceArray<uint32_t> da(a), db(b), out(start);
  launch("integer", "dot_products", cover(kCount), da.get(), db.get(), out.get(), kCount);
  const auto got = out.download();
  for (unsigned i = 0; i < kCount; ++i) {
    uint32_t sum = start[i];
    for (int k = 0; k < 32; k += 8)
      sum += static_cast<uint32_t>(static_cast<int8_t>(a[i] >> k) * static_cast<int8_t>(b[i] >> k));
    sum += static_cast<uint32_t>(low24(a[i])) * static_cast<uint32_t>(low24(b[i]));
    sum += (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + 3;
    ASSERT_EQ(got[i], sum);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
