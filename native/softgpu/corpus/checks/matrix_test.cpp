// Oracle: matrix products on the host. Entries are small integers, so that every sum is exact in any order and a wrong
// place in a register shows.
#include <gtest/gtest.h>

#include <cstring>

#include "softgpu/corpus/harness/device.h"
#include "softgpu/corpus/harness/half.h"
#include "softgpu/corpus/harness/inputs.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr unsigned kLanes = 64;

// M x N x K, in `blocks` independent products.
struct Form {
  unsigned size, depth, blocks, operands;  // M = N = size; operands: K-values a lane
  bool wide_sums = true;                   // rows of C go to a lane in fours (f32, i32); else one by one (f64)
};

unsigned sums_a_lane(const Form& form) {
  return form.size * form.size * form.blocks / kLanes;
}

// The lane and its operand that hold A[row][k] (or B[k][column]) of a block.
std::pair<unsigned, unsigned> operand_place(const Form& form, unsigned row, unsigned k, unsigned block) {
  return {row + form.size * (k / form.operands + block * (form.depth / form.operands)), k % form.operands};
}

// The lane and its accumulator that hold C[row][column] of a block.
std::pair<unsigned, unsigned> sum_place(const Form& form, unsigned row, unsigned column, unsigned block) {
  if (form.size == 4) return {column + 4 * block, row};
  if (!form.wide_sums) return {column + 16 * (row % 4), row / 4};
  const unsigned groups = kLanes / form.size;
  return {column + form.size * (row / 4 % groups), row % 4 + 4 * (row / (4 * groups))};
}

int small(uint32_t word) {
  return static_cast<int>(word % 15) - 7;
}

uint16_t to_bfloat(int value) {
  const auto real = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &real, 4);
  return static_cast<uint16_t>(bits >> 16);
}

template <typename Operand, typename Sum, typename Encode>
void check_product(const std::string& name, const Form& form, Encode encode) {
  const unsigned rows = form.size, sums = sums_a_lane(form);
  const auto words_a = random_words(rows * form.depth * form.blocks, 1),
             words_b = random_words(rows * form.depth * form.blocks, 2);
  const auto words_c = random_words(rows * rows * form.blocks, 3);
  std::vector<Operand> a(kLanes * form.operands), b(kLanes * form.operands);
  std::vector<Sum> c(kLanes * sums), expected(kLanes * sums);
  for (unsigned block = 0; block < form.blocks; ++block) {
    const auto at = [&](const std::vector<uint32_t>& words, unsigned row, unsigned k) {
      return small(words[(block * rows + row) * form.depth + k]);
    };
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned k = 0; k < form.depth; ++k) {
        const auto [lane, which] = operand_place(form, row, k, block);
        a[lane * form.operands + which] = encode(at(words_a, row, k));
        b[lane * form.operands + which] = encode(at(words_b, row, k));
      }
      for (unsigned column = 0; column < rows; ++column) {
        const auto [lane, which] = sum_place(form, row, column, block);
        const int start = small(words_c[(block * rows + row) * rows + column]);
        int sum = start;
        for (unsigned k = 0; k < form.depth; ++k) sum += at(words_a, row, k) * at(words_b, column, k);
        c[lane * sums + which] = static_cast<Sum>(start);
        expected[lane * sums + which] = static_cast<Sum>(sum);
      }
    }
  }
  const DeviceArray<Operand> da(a), db(b);
  const DeviceArray<Sum> dc(c), out(c.size());
  launch("matrix", name, Shape{dim3(1), dim3(kLanes)}, da.get(), db.get(), dc.get(), out.get());
  EXPECT_EQ(out.download(), expected);
}

float real(int value) {
  return static_cast<float>(value);
}
uint16_t half(int value) {
  return to_half(value);
}

TEST(matrix, f32_32x32x2) {
  check_product<float, float>("f32_32x32x2", {32, 2, 1, 1}, real);
}
TEST(matrix, f32_16x16x4) {
  check_product<float, float>("f32_16x16x4", {16, 4, 1, 1}, real);
}
TEST(matrix, f32_4x4x1) {
  check_product<float, float>("f32_4x4x1", {4, 1, 16, 1}, real);
}
TEST(matrix, f16_32x32x8) {
  check_product<uint16_t, float>("f16_32x32x8", {32, 8, 1, 4}, half);
}
TEST(matrix, f16_16x16x16) {
  check_product<uint16_t, float>("f16_16x16x16", {16, 16, 1, 4}, half);
}
TEST(matrix, f16_4x4x4) {
  check_product<uint16_t, float>("f16_4x4x4", {4, 4, 16, 4}, half);
}
TEST(matrix, bf16_32x32x8) {
  check_product<uint16_t, float>("bf16_32x32x8", {32, 8, 1, 4}, to_bfloat);
}
TEST(matrix, bf16_16x16x16) {
  check_product<uint16_t, float>("bf16_16x16x16", {16, 16, 1, 4}, to_bfloat);
}
TEST(matrix, bf16_32x32x4) {
  check_product<uint16_t, float>("bf16_32x32x4", {32, 4, 1, 2}, to_bfloat);
}
TEST(matrix, f64_16x16x4) {
  check_product<double, double>("f64_16x16x4", {16, 4, 1, 1, false},
                                [](int value) { return static_cast<double>(value); });
}
TEST(matrix, i8_32x32x8) {
  check_product<int8_t, int32_t>("i8_32x32x8", {32, 8, 1, 4}, [](int value) { return static_cast<int8_t>(value); });
}
TEST(matrix, i8_16x16x16) {
  check_product<int8_t, int32_t>("i8_16x16x16", {16, 16, 1, 4}, [](int value) { return static_cast<int8_t>(value); });
}

TEST(matrix, gemm) {
  constexpr unsigned kRows = 48, kColumns = 32, kDepth = 36;
  std::vector<float> a, b, expected(kRows * kColumns, 0);
  for (uint32_t word : random_words(kRows * kDepth, 4)) a.push_back(real(small(word)));
  for (uint32_t word : random_words(kColumns * kDepth, 5)) b.push_back(real(small(word)));
  for (unsigned i = 0; i < kRows; ++i)
    for (unsigned j = 0; j < kColumns; ++j)
      for (unsigned k = 0; k < kDepth; ++k) expected[i * kColumns + j] += a[i * kDepth + k] * b[k * kColumns + j];
  const DeviceArray<float> da(a), db(b), c(expected.size());
  launch("matrix", "gemm", Shape{dim3(kColumns / 16, kRows / 16), dim3(kLanes)}, da.get(), db.get(), c.get(), kRows,
         kColumns, kDepth);
  EXPECT_EQ(c.download(), expected);
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
