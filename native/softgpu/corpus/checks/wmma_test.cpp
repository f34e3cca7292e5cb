// Oracle: matrix products on the host. Entries are small integers, or quarters of them for floats, so that every sum is
// exact in any order and a wrong place in a register shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/half.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kSize = 16;
using Matrix = std::array<std::array<int64_t, kSize>, kSize>;

Matrix drawn(uint32_t seed, int64_t least, int64_t count) {
  const auto words = random_words(kSize * kSize, seed);
  Matrix matrix;
  for (unsigned i = 0; i < kSize * kSize; ++i) matrix[i / kSize][i % kSize] = least + words[i] % count;
  return matrix;
}

Matrix product(const Matrix& a, const Matrix& b, const Matrix& c) {
  Matrix d = c;
  for (unsigned i = 0; i < kSize; ++i) {
    for (unsigned j = 0; j < kSize; ++j) {
      for (unsigned k = 0; k < kSize; ++k) d[i][j] += a[i][k] * b[k][j];
    }
  }
  return d;
}

template <typename Element, typename Encode>
std::vector<Element> encoded(const Matrix& matrix, Encode encode) {
  std::vector<Element> out;
  for (const auto& row : matrix) {
    for (const int64_t value : row) out.push_back(encode(value));
  }
  return out;
}

// Quarters: factors. Their products are sixteenths.
uint16_t to_bfloat(int64_t value) {
  const auto real = static_cast<float>(value) / 4;
  uint32_t bits = 0;
  std::memcpy(&bits, &real, 4);
  return static_cast<uint16_t>(bits >> 16);
}
uint16_t as_half(int64_t value) {
  return to_half(static_cast<double>(value) / 4);
}
uint16_t half_of_sixteenths(int64_t value) {
  return to_half(static_cast<double>(value) / 16);
}
float of_sixteenths(int64_t value) {
  return static_cast<float>(value) / 16;
}

template <typename Encode>
void check_floats(const char* name, Encode encode) {
  const Matrix a = drawn(1, -7, 15), b = drawn(2, -7, 15), c = drawn(3, -100, 201);
  const DeviceArray<uint16_t> da(encoded<uint16_t>(a, encode)), db(encoded<uint16_t>(b, encode));
  const DeviceArray<float> dc(encoded<float>(c, of_sixteenths)), out(kSize * kSize);
  launch("wmma", name, Shape{dim3(1), dim3(32)}, da.get(), db.get(), dc.get(), out.get());
  EXPECT_EQ(out.download(), encoded<float>(product(a, b, c), of_sixteenths));
}

void check_halves(const char* name) {
  const Matrix a = drawn(1, -7, 15), b = drawn(2, -7, 15), c = drawn(3, -100, 201);
  const DeviceArray<uint16_t> da(encoded<uint16_t>(a, as_half)), db(encoded<uint16_t>(b, as_half));
  const DeviceArray<uint16_t> dc(encoded<uint16_t>(c, half_of_sixteenths)), out(kSize * kSize), others(kSize * kSize);
  launch("wmma", name, Shape{dim3(1), dim3(32)}, da.get(), db.get(), dc.get(), out.get(), others.get());
  EXPECT_EQ(out.download(), encoded<uint16_t>(product(a, b, c), half_of_sixteenths));
  std::vector<uint16_t> places;
  for (unsigned i = 0; i < kSize * kSize; ++i) places.push_back(to_half(i));
  EXPECT_EQ(others.download(), places);
}

// Rows of integers of `bits` each, packed.
std::vector<uint32_t> packed(const Matrix& matrix, unsigned bits, bool by_columns) {
  const unsigned per = 32 / bits;
  std::vector<uint32_t> words(kSize * kSize / per);
  for (unsigned i = 0; i < kSize; ++i) {
    for (unsigned k = 0; k < kSize; ++k) {
      const auto value = static_cast<uint32_t>(by_columns ? matrix[k][i] : matrix[i][k]) & ((1u << bits) - 1);
      words[(i * kSize + k) / per] |= value << (k % per * bits);
    }
  }
  return words;
}

void check_integers(const std::string& suffix, bool signed_a, bool signed_b, int64_t offset) {
  for (const unsigned bits : {8u, 4u}) {
    const int64_t count = int64_t{1} << bits;
    const Matrix a = drawn(1, signed_a ? -count / 2 : 0, count), b = drawn(2, signed_b ? -count / 2 : 0, count);
    const Matrix c = drawn(3, offset - 1000, 2001);
    const DeviceArray<uint32_t> da(packed(a, bits, false)), db(packed(b, bits, true));
    const DeviceArray<int32_t> dc(encoded<int32_t>(c, [](int64_t v) { return static_cast<int32_t>(v); })),
        out(kSize * kSize);
    const std::string name = (bits == 8 ? "i8_" : "i4_") + suffix;
    launch("wmma", name, Shape{dim3(1), dim3(32)}, da.get(), db.get(), dc.get(), out.get());
    const auto expected = encoded<int32_t>(product(a, b, c), [&](int64_t v) {
      return static_cast<int32_t>(suffix == "clamped" ? std::clamp<int64_t>(v, INT32_MIN, INT32_MAX) : v);
    });
    EXPECT_EQ(out.download(), expected) << name;
  }
}

TEST(wmma, f32_f16) {
  check_floats("f32_f16", as_half);
}
TEST(wmma, f32_bf16) {
  check_floats("f32_bf16", to_bfloat);
}
TEST(wmma, f16_in_low_halves) {
  check_halves("f16_low");
}
TEST(wmma, f16_in_high_halves) {
  check_halves("f16_high");
}
TEST(wmma, integers_of_either_sign) {
  check_integers("ss", true, true, 0);
  check_integers("su", true, false, 0);
  check_integers("us", false, true, 0);
  check_integers("uu", false, false, 0);
}
TEST(wmma, integers_wrap_or_saturate) {
  check_integers("ss", true, true, INT32_MAX - 1000);
  check_integers("clamped", true, true, INT32_MAX - 1000);
}

TEST(wmma, gemm) {
  constexpr unsigned kRows = 48, kColumns = 32, kDepth = 64;
  const auto words_a = random_words(kRows * kDepth, 4), words_b = random_words(kDepth * kColumns, 5);
  const auto small = [](uint32_t word) { return static_cast<int>(word % 15) - 7; };
  std::vector<uint16_t> a, b;
  for (const uint32_t word : words_a) a.push_back(as_half(small(word)));
  for (const uint32_t word : words_b) b.push_back(as_half(small(word)));
  const DeviceArray<uint16_t> da(a), db(b);
  const DeviceArray<float> out(kRows * kColumns);
  launch("wmma", "gemm", Shape{dim3(kColumns / 16, kRows / 16), dim3(32)}, da.get(), db.get(), out.get(), kRows,
         kColumns, kDepth);
  std::vector<float> expected(kRows * kColumns);
  for (unsigned i = 0; i < kRows; ++i) {
    for (unsigned j = 0; j < kColumns; ++j) {
      int sum = 0;
      for (unsigned k = 0; k < kDepth; ++k) sum += small(words_a[i * kDepth + k]) * small(words_b[k * kColumns + j]);
      expected[i * kColumns + j] = of_sixteenths(sum);
    }
  }
  EXPECT_EQ(out.download(), expected);
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
