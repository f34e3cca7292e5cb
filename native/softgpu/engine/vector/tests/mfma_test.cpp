// MFMA against matrix products, with elements found by AMD's own formulas (matrix instruction calculator, CDNA2,
// "register to matrix element mapping"): from lane and register to row, column, depth and block.
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

enum class Kind { kF32, kF64, kXf32, kF16, kBf16, kI8, kFp8Fp8, kFp8Bf8, kBf8Fp8, kBf8Bf8 };

// A small whole number in a format of 8 bits without infinities, whose bias is one more than IEEE's: by its value
// alone.
uint32_t float8_of(int v, unsigned mantissa_bits) {
  const int bias = 1 << (6 - mantissa_bits);
  for (uint32_t code = 0; code < 256; ++code) {
    const int exponent = static_cast<int>((code & 0x7f) >> mantissa_bits);
    const double fraction = std::ldexp(code & ((1u << mantissa_bits) - 1), -static_cast<int>(mantissa_bits));
    const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
    if (code != 0x80 && (code & 0x80 ? -magnitude : magnitude) == v) return code;
  }
  ADD_FAILURE() << v << " has no code";
  return 0;
}

struct Shape {
  Op op;
  const char* name;
  Kind kind;
  unsigned size, depth, blocks, per_lane;  // per_lane: elements of A a lane holds
};
#define M(name, kind, size, depth, blocks, per_lane) \
  { Op::name, #name, Kind::kind, size, depth, blocks, per_lane }
const Shape kShapes[] = {
    M(v_mfma_f32_32x32x1f32, kF32, 32, 1, 2, 1),
    M(v_mfma_f32_16x16x1f32, kF32, 16, 1, 4, 1),
    M(v_mfma_f32_4x4x1f32, kF32, 4, 1, 16, 1),
    M(v_mfma_f32_32x32x2f32, kF32, 32, 2, 1, 1),
    M(v_mfma_f32_16x16x4f32, kF32, 16, 4, 1, 1),
    M(v_mfma_f32_32x32x4f16, kF16, 32, 4, 2, 4),
    M(v_mfma_f32_16x16x4f16, kF16, 16, 4, 4, 4),
    M(v_mfma_f32_4x4x4f16, kF16, 4, 4, 16, 4),
    M(v_mfma_f32_32x32x8f16, kF16, 32, 8, 1, 4),
    M(v_mfma_f32_16x16x16f16, kF16, 16, 16, 1, 4),
    M(v_mfma_f32_32x32x4bf16_1k, kBf16, 32, 4, 2, 4),
    M(v_mfma_f32_16x16x4bf16_1k, kBf16, 16, 4, 4, 4),
    M(v_mfma_f32_4x4x4bf16_1k, kBf16, 4, 4, 16, 4),
    M(v_mfma_f32_32x32x8bf16_1k, kBf16, 32, 8, 1, 4),
    M(v_mfma_f32_16x16x16bf16_1k, kBf16, 16, 16, 1, 4),
    M(v_mfma_f32_32x32x2bf16, kBf16, 32, 2, 2, 2),
    M(v_mfma_f32_16x16x2bf16, kBf16, 16, 2, 4, 2),
    M(v_mfma_f32_4x4x2bf16, kBf16, 4, 2, 16, 2),
    M(v_mfma_f32_32x32x4bf16, kBf16, 32, 4, 1, 2),
    M(v_mfma_f32_16x16x8bf16, kBf16, 16, 8, 1, 2),
    M(v_mfma_i32_32x32x4i8, kI8, 32, 4, 2, 4),
    M(v_mfma_i32_16x16x4i8, kI8, 16, 4, 4, 4),
    M(v_mfma_i32_4x4x4i8, kI8, 4, 4, 16, 4),
    M(v_mfma_i32_32x32x8i8, kI8, 32, 8, 1, 4),
    M(v_mfma_i32_16x16x16i8, kI8, 16, 16, 1, 4),
    M(v_mfma_f64_16x16x4f64, kF64, 16, 4, 1, 1),
    M(v_mfma_f64_4x4x4f64, kF64, 4, 4, 4, 1),
    M(v_mfma_f32_32x32x4_2b_f16, kF16, 32, 4, 2, 4),
    M(v_mfma_f32_16x16x4_4b_f16, kF16, 16, 4, 4, 4),
    M(v_mfma_f32_4x4x4_16b_f16, kF16, 4, 4, 16, 4),
    M(v_mfma_f32_32x32x8_f16, kF16, 32, 8, 1, 4),
    M(v_mfma_f32_16x16x16_f16, kF16, 16, 16, 1, 4),
    M(v_mfma_f32_32x32x4_2b_bf16, kBf16, 32, 4, 2, 4),
    M(v_mfma_f32_16x16x4_4b_bf16, kBf16, 16, 4, 4, 4),
    M(v_mfma_f32_4x4x4_16b_bf16, kBf16, 4, 4, 16, 4),
    M(v_mfma_f32_32x32x8_bf16, kBf16, 32, 8, 1, 4),
    M(v_mfma_f32_16x16x16_bf16, kBf16, 16, 16, 1, 4),
    M(v_mfma_f32_32x32x4_xf32, kXf32, 32, 4, 1, 2),
    M(v_mfma_f32_16x16x8_xf32, kXf32, 16, 8, 1, 2),
    M(v_mfma_i32_32x32x16_i8, kI8, 32, 16, 1, 8),
    M(v_mfma_i32_16x16x32_i8, kI8, 16, 32, 1, 8),
    M(v_mfma_f32_16x16x32_bf8_bf8, kBf8Bf8, 16, 32, 1, 8),
    M(v_mfma_f32_16x16x32_bf8_fp8, kBf8Fp8, 16, 32, 1, 8),
    M(v_mfma_f32_16x16x32_fp8_bf8, kFp8Bf8, 16, 32, 1, 8),
    M(v_mfma_f32_16x16x32_fp8_fp8, kFp8Fp8, 16, 32, 1, 8),
    M(v_mfma_f32_32x32x16_bf8_bf8, kBf8Bf8, 32, 16, 1, 8),
    M(v_mfma_f32_32x32x16_bf8_fp8, kBf8Fp8, 32, 16, 1, 8),
    M(v_mfma_f32_32x32x16_fp8_bf8, kFp8Bf8, 32, 16, 1, 8),
    M(v_mfma_f32_32x32x16_fp8_fp8, kFp8Fp8, 32, 16, 1, 8),
};
#undef M

struct Where {
  unsigned block, row, column;
};
// Element of result `n` (a register, or a pair for f64) in a lane.
Where result_element(const Shape& s, unsigned lane, unsigned n) {
  if (s.kind == Kind::kF64) {
    if (s.size == 4) return {lane / 4 % 4, lane / 16, lane % 4};
    return {0, 4 * n + lane / 16, lane % 16};
  }
  if (s.size == 32) return {n / 16, (8 * (n / 4)) % 32 + 4 * (lane / 32) + n % 4, lane % 32};
  if (s.size == 16) return {n / 4, 4 * (lane / 16) + n % 4, lane % 16};
  return {lane / 4, n % 4, lane % 4};
}

class Matrices {
 public:
  Matrices(const Shape& s, std::mt19937& random) : shape(s) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned e = 0; e < s.per_lane; ++e) {
        a[lane][e] = static_cast<int>(random() % 15) - 7;
        b[lane][e] = static_cast<int>(random() % 15) - 7;
      }
    }
  }
  // By the calculator: i = lane % size; block and depth share lane / size.
  int element(const int (&m)[kLanes][8], unsigned block, unsigned place, unsigned k) const {
    return m[place + shape.size * (block + shape.blocks * (k / shape.per_lane))][k % shape.per_lane];
  }
  void write(TestWave& t, unsigned r, const int (&m)[kLanes][8]) const {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t words[2] = {0, 0};
      for (unsigned e = 0; e < shape.per_lane; ++e) {
        const int v = m[lane][e];
        switch (shape.kind) {
          case Kind::kF32:
            words[0] = fbits(static_cast<float>(v));
            break;
          case Kind::kF64:
            words[0] = static_cast<uint32_t>(dbits(v)), words[1] = static_cast<uint32_t>(dbits(v) >> 32);
            break;
          case Kind::kXf32:  // the last 13 bits do not count
            words[e] = fbits(static_cast<float>(v)) | 0x1fff;
            break;
          case Kind::kF16:
            words[e / 2] |= half_of(v) << (16 * (e % 2));
            break;
          case Kind::kBf16:
            words[e / 2] |= (fbits(static_cast<float>(v)) >> 16) << (16 * (e % 2));
            break;
          case Kind::kI8:
            words[e / 4] |= (static_cast<uint32_t>(v) & 0xff) << (8 * (e % 4));
            break;
          default: {
            const bool is_a = &m == &a;
            const bool fp8 = shape.kind == Kind::kFp8Fp8 || shape.kind == (is_a ? Kind::kFp8Bf8 : Kind::kBf8Fp8);
            words[e / 4] |= float8_of(v, fp8 ? 3 : 2) << (8 * (e % 4));
          }
        }
      }
      t.lane(r)[lane] = words[0], t.lane(r + 1)[lane] = words[1];
    }
  }

  const Shape& shape;
  int a[kLanes][8] = {}, b[kLanes][8] = {};
};

unsigned results_of(const Shape& s) {
  return s.size * s.size * s.blocks / kLanes;
}

void put_sum(TestWave& t, VectorRegister* file, const Shape& s, unsigned r, unsigned n, unsigned lane, int v) {
  (void)t;
  if (s.kind == Kind::kF64) {
    file[r + 2 * n][lane] = static_cast<uint32_t>(dbits(v));
    file[r + 2 * n + 1][lane] = static_cast<uint32_t>(dbits(v) >> 32);
  } else {
    file[r + n][lane] = s.kind == Kind::kI8 ? static_cast<uint32_t>(v) : fbits(static_cast<float>(v));
  }
}
double get_sum(VectorRegister* file, const Shape& s, unsigned r, unsigned n, unsigned lane) {
  if (s.kind == Kind::kF64)
    return as_f64(file[r + 2 * n][lane] | static_cast<uint64_t>(file[r + 2 * n + 1][lane]) << 32);
  return s.kind == Kind::kI8 ? static_cast<int32_t>(file[r + n][lane]) : as_f32(file[r + n][lane]);
}

TEST(VectorMfma, EveryShapeIsTheMatrixProductWhateverExecSays) {
  std::mt19937 random(101);
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(s.name);
    for (bool accumulation_registers : {false, true}) {
      for (const unsigned d : {100u, 40u, 42u, 38u}) {  // apart from C, C itself and parts of it
        TestWave t;
        t.scribble();
        t.wave.set_exec(0x1);
        const Matrices m(s, random);
        m.write(t, 0, m.a);
        m.write(t, 2, m.b);
        VectorRegister* file = accumulation_registers ? t.wave.agpr : t.wave.vgpr;
        const auto reg = [&](unsigned r) { return accumulation_registers ? agpr(r, 4) : vgpr(r, 4); };
        std::map<std::tuple<unsigned, unsigned, unsigned>, int> c;
        for (unsigned n = 0; n < results_of(s); ++n) {
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Where w = result_element(s, lane, n);
            const int v = static_cast<int>(random() % 2001) - 1000;
            ASSERT_TRUE(c.emplace(std::tuple(w.block, w.row, w.column), v).second) << "two places for one element";
            put_sum(t, file, s, 40, n, lane, v);
          }
        }
        ASSERT_TRUE(t.run(make(s.op, {reg(d)}, {vgpr(0, 2), vgpr(2, 2), reg(40)}, Encoding::kVop3p)));
        for (unsigned n = 0; n < results_of(s); ++n) {
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            const Where w = result_element(s, lane, n);
            int expected = c.at({w.block, w.row, w.column});
            for (unsigned k = 0; k < s.depth; ++k)
              expected += m.element(m.a, w.block, w.row, k) * m.element(m.b, w.block, w.column, k);
            ASSERT_EQ(expected, get_sum(file, s, d, n, lane)) << "lane " << lane << " result " << n;
          }
        }
      }
    }
  }
}

TEST(VectorMfma, AConstantAccumulatorStandsForEveryElement) {
  TestWave t;
  for (unsigned r = 0; r < 4; ++r) t.fill(r, 0);
  ASSERT_TRUE(t.run(
      make(Op::v_mfma_f32_16x16x4f32, {vgpr(8, 4)}, {vgpr(0), vgpr(2), constant(fbits(1.0f))}, Encoding::kVop3p)));
  for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(1.0f, as_f32(t.lane(8 + n)[17]));
}

TEST(VectorMfma, BroadcastsOfBlocksAndLaneGroupsFollowAmdsTables) {
  // 16x16x1 has four blocks; A = block + 1 in every row, B = 16-lane group + 1 in every column, C = 0.
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l)
    t.lane(0)[l] = fbits(static_cast<float>(l / 16 + 1)), t.lane(2)[l] = fbits(static_cast<float>(l / 16 + 1) * 10);
  const auto product = [&](unsigned cbsz, unsigned abid, unsigned blgp, unsigned block) {
    Instruction i = make(Op::v_mfma_f32_16x16x1f32, {vgpr(8, 16)}, {vgpr(0), vgpr(2), constant(0)}, Encoding::kVop3p);
    i.cbsz = static_cast<uint8_t>(cbsz), i.abid = static_cast<uint8_t>(abid), i.blgp = static_cast<uint8_t>(blgp);
    EXPECT_TRUE(t.run(i));
    return as_f32(t.lane(8 + 4 * block)[0]);
  };
  const float none[] = {10, 40, 90, 160}, pairs[] = {20, 40, 120, 160}, all[] = {30, 60, 90, 120};
  const float low[] = {10, 40, 30, 80}, high[] = {30, 80, 90, 160}, rotated[] = {20, 60, 120, 40},
              third[] = {30, 60, 90, 120};
  for (unsigned block = 0; block < 4; ++block) {
    EXPECT_EQ(none[block], product(0, 0, 0, block));
    EXPECT_EQ(pairs[block], product(1, 1, 0, block));
    EXPECT_EQ(all[block], product(2, 2, 0, block));
    EXPECT_EQ(low[block], product(0, 0, 1, block));
    EXPECT_EQ(high[block], product(0, 0, 2, block));
    EXPECT_EQ(rotated[block], product(0, 0, 3, block));
    EXPECT_EQ(third[block], product(0, 0, 6, block));
  }
}

TEST(VectorMfma, ProductsOfBytesAreExactAndTheirSumsWrapAround) {
  for (const Shape& s : kShapes) {
    if (s.kind != Kind::kI8) continue;
    SCOPED_TRACE(s.name);
    TestWave t;
    t.fill64(0, 0x8080808080808080), t.fill64(2, 0x8080808080808080);
    ASSERT_TRUE(t.run(make(s.op, {vgpr(8, 4)}, {vgpr(0, 2), vgpr(2, 2), constant(0x7fffffff)}, Encoding::kVop3p)));
    for (unsigned n = 0; n < results_of(s); ++n) EXPECT_EQ(0x7fffffffu + s.depth * 128 * 128, t.lane(8 + n)[63]);
  }
}

TEST(VectorMfma, FactorsOfXf32AreCutOffTowardsZero) {
  const auto product = [](uint32_t factor) {
    TestWave t;
    t.fill64(0, uint64_t{factor}), t.fill64(2, uint64_t{fbits(1.0f)});  // the other one of each lane is 0
    EXPECT_TRUE(t.run(
        make(Op::v_mfma_f32_16x16x8_xf32, {vgpr(8, 4)}, {vgpr(0, 2), vgpr(2, 2), constant(0)}, Encoding::kVop3p)));
    return t.lane(8)[5];
  };
  const float ulp = 0x1p-10f;
  // Four lanes hold the products of a row and a column.
  EXPECT_EQ(fbits(4 * (1 + ulp)), product(fbits(1 + ulp)));
  EXPECT_EQ(fbits(4 * (1 + ulp)), product(fbits(1 + 1.5f * ulp)));
  EXPECT_EQ(fbits(4 * (1 + ulp)), product(fbits(1 + 2 * ulp) - 1));
  EXPECT_EQ(fbits(-4 * (1 + ulp)), product(fbits(-(1 + 2 * ulp)) - 1));
  EXPECT_EQ(0x8000u, product(0x2fff));  // denormals are kept
  EXPECT_EQ(0x7f800000u, product(0x7f800000));
  EXPECT_EQ(0x7fc00000u, product(0x7f800001)) << "not an infinity";
}

TEST(VectorMfma, EveryHalfIsTheNumberThatItStandsFor) {
  for (const bool flushes : {false, true}) {
    const Op op = flushes ? Op::v_mfma_f32_4x4x4f16 : Op::v_mfma_f32_4x4x4_16b_f16;
    for (uint32_t first = 0; first < 0x10000; first += kLanes) {
      TestWave t;
      t.fill64(0, 0), t.fill64(2, half_of(1));
      for (unsigned lane = 0; lane < kLanes; ++lane) t.lane(0)[lane] = first + lane;
      ASSERT_TRUE(t.run(make(op, {vgpr(8, 4)}, {vgpr(0, 2), vgpr(2, 2), constant(0)}, Encoding::kVop3p)));
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const uint32_t half = first + lane, result = t.lane(8 + lane % 4)[lane / 4 * 4];
        const bool is_denormal = (half & 0x7c00) == 0;
        const double expected = is_denormal && flushes ? 0 : half_value(half);
        if (std::isnan(expected)) {
          ASSERT_EQ(0x7fc00000u, result) << half;
        } else {
          ASSERT_EQ(expected, as_f32(result)) << half;
        }
      }
    }
  }
}

TEST(VectorMfma, HalfFormsFlushDenormalsAndSingleFormsKeepThem) {
  TestWave t;
  t.fill64(0, 0x0200020002000200), t.fill64(2, 0x7800780078007800);
  ASSERT_TRUE(
      t.run(make(Op::v_mfma_f32_16x16x16f16, {vgpr(8, 4)}, {vgpr(0, 2), vgpr(2, 2), constant(0)}, Encoding::kVop3p)));
  EXPECT_EQ(0u, t.lane(8)[0]);
  // gfx942 keeps denormals: 16 products of 2^-15 and 2^15.
  ASSERT_TRUE(
      t.run(make(Op::v_mfma_f32_16x16x16_f16, {vgpr(8, 4)}, {vgpr(0, 2), vgpr(2, 2), constant(0)}, Encoding::kVop3p)));
  EXPECT_EQ(fbits(16), t.lane(8)[0]);
  t.fill(0, 1), t.fill(2, fbits(1));
  ASSERT_TRUE(t.run(make(Op::v_mfma_f32_16x16x4f32, {vgpr(8, 4)}, {vgpr(0), vgpr(2), constant(0)}, Encoding::kVop3p)));
  EXPECT_EQ(4u, t.lane(8)[0]);
}

}  // namespace
}  // namespace kernloop::softgpu::vector
