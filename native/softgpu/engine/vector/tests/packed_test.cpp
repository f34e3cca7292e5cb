// VOP3P: packed halves and pairs, v_fma_mix, dot products, against one half or lane at a time.
#include <cmath>
#include <functional>
#include <random>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

using Wide = __float128;

Instruction packed(Op op, std::initializer_list<Operand> dst, std::initializer_list<Operand> src) {
  Instruction i = make(op, dst, src, Encoding::kVop3p);
  i.op_sel_hi = 7;
  return i;
}

uint32_t half(uint32_t v, unsigned high, unsigned negate) {
  return ((v >> (high ? 16 : 0)) & 0xffff) ^ (negate ? 0x8000 : 0);
}

struct PackedCase {
  Op op;
  const char* name;
  unsigned sources;
  bool floating, clamps;
  std::function<uint32_t(uint32_t, uint32_t, uint32_t, bool)> expected;
};
int64_t signed_half(uint32_t v) {
  return static_cast<int16_t>(v);
}
uint32_t signed_result(int64_t v, bool clamp) {
  return static_cast<uint32_t>(clamp ? std::clamp<int64_t>(v, -32768, 32767) : v) & 0xffff;
}
uint32_t unsigned_result(int64_t v, bool clamp) {
  return static_cast<uint32_t>(clamp ? std::clamp<int64_t>(v, 0, 65535) : v) & 0xffff;
}
uint32_t float_result(Wide v, bool clamp) {
  if (v != v) return clamp ? 0 : 0x7e00;
  return clamp ? half_of(v < 0 ? Wide{0} : v > 1 ? Wide{1} : v) : half_of(v);
}
Wide f(uint32_t h) {
  return half_value(h);
}

const PackedCase kPackedCases[] = {
#define OP(name) Op::name, #name
    {OP(v_pk_add_f16), 2, true, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return float_result(f(a) + f(b), c); }},
    {OP(v_pk_mul_f16), 2, true, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return float_result(f(a) * f(b), c); }},
    {OP(v_pk_fma_f16), 3, true, true,
     [](uint32_t a, uint32_t b, uint32_t d, bool c) { return float_result(f(a) * f(b) + f(d), c); }},
    {OP(v_pk_min_f16), 2, true, false,
     [](uint32_t a, uint32_t b, uint32_t, bool) { return half_of(std::min(f(a), f(b))); }},
    {OP(v_pk_max_f16), 2, true, false,
     [](uint32_t a, uint32_t b, uint32_t, bool) { return half_of(std::max(f(a), f(b))); }},
    {OP(v_pk_mad_i16), 3, false, true,
     [](uint32_t a, uint32_t b, uint32_t d, bool c) {
       return signed_result(signed_half(a) * signed_half(b) + signed_half(d), c);
     }},
    {OP(v_pk_mad_u16), 3, false, true,
     [](uint32_t a, uint32_t b, uint32_t d, bool c) { return unsigned_result(int64_t{a} * b + d, c); }},
    {OP(v_pk_mul_lo_u16), 2, false, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return unsigned_result(int64_t{a} * b, c); }},
    {OP(v_pk_add_i16), 2, false, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return signed_result(signed_half(a) + signed_half(b), c); }},
    {OP(v_pk_sub_i16), 2, false, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return signed_result(signed_half(a) - signed_half(b), c); }},
    {OP(v_pk_add_u16), 2, false, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return unsigned_result(int64_t{a} + b, c); }},
    {OP(v_pk_sub_u16), 2, false, true,
     [](uint32_t a, uint32_t b, uint32_t, bool c) { return unsigned_result(int64_t{a} - b, c); }},
    {OP(v_pk_lshlrev_b16), 2, false, false,
     [](uint32_t a, uint32_t b, uint32_t, bool) { return (b << (a % 16)) & 0xffff; }},
    {OP(v_pk_lshrrev_b16), 2, false, false, [](uint32_t a, uint32_t b, uint32_t, bool) { return b >> (a % 16); }},
    {OP(v_pk_ashrrev_i16), 2, false, false,
     [](uint32_t a, uint32_t b, uint32_t, bool) { return signed_result(signed_half(b) >> (a % 16), false); }},
    {OP(v_pk_max_i16), 2, false, false,
     [](uint32_t a, uint32_t b, uint32_t, bool) {
       return signed_result(std::max(signed_half(a), signed_half(b)), false);
     }},
    {OP(v_pk_min_i16), 2, false, false,
     [](uint32_t a, uint32_t b, uint32_t, bool) {
       return signed_result(std::min(signed_half(a), signed_half(b)), false);
     }},
    {OP(v_pk_max_u16), 2, false, false, [](uint32_t a, uint32_t b, uint32_t, bool) { return std::max(a, b); }},
    {OP(v_pk_min_u16), 2, false, false, [](uint32_t a, uint32_t b, uint32_t, bool) { return std::min(a, b); }},
#undef OP
};

TEST(VectorPacked, HalvesFollowTheirSelectionsNegationsAndClamp) {
  std::mt19937 random(83);
  for (const PackedCase& c : kPackedCases) {
    SCOPED_TRACE(c.name);
    TestWave t;
    for (int round = 0; round < 200; ++round) {
      for (unsigned r = 1; r <= 3; ++r) {
        for (unsigned l = 0; l < kLanes; ++l) {
          uint32_t v = static_cast<uint32_t>(random());
          // Finite halves of moderate size, so that sums meet.
          if (c.floating) v = (v & 0x83ff83ff) | (0x2c00 + (v & 0x1c00)) | (0x2c000000 + (v & 0x1c000000));
          t.lane(r)[l] = v;
        }
      }
      Instruction i = packed(c.op, {vgpr(9)}, {vgpr(1), vgpr(2), vgpr(3)});
      i.src_count = static_cast<uint8_t>(c.sources);
      const unsigned used = (1u << c.sources) - 1;
      if (round) {
        i.op_sel = static_cast<uint8_t>(random() & used);
        i.op_sel_hi = static_cast<uint8_t>(random() & used);
        if (c.floating)
          i.neg_lo = static_cast<uint8_t>(random() & used), i.neg_hi = static_cast<uint8_t>(random() & used);
        i.clamp = c.clamps && random() % 2;
      }
      ASSERT_TRUE(t.run(i));
      for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t in[2][3];
        for (unsigned k = 0; k < 3; ++k) {
          in[0][k] = half(t.lane(k + 1)[l], (i.op_sel >> k) & 1, (i.neg_lo >> k) & 1);
          in[1][k] = half(t.lane(k + 1)[l], (i.op_sel_hi >> k) & 1, (i.neg_hi >> k) & 1);
        }
        const uint32_t low = c.expected(in[0][0], in[0][1], in[0][2], i.clamp),
                       high = c.expected(in[1][0], in[1][1], in[1][2], i.clamp);
        // -0 and +0 compare equal in the model of sums.
        const auto same = [&](uint32_t want, uint32_t got) {
          return want == got || (c.floating && !((want | got) & 0x7fff));
        };
        ASSERT_TRUE(same(low, t.lane(9)[l] & 0xffff) && same(high, t.lane(9)[l] >> 16))
            << std::hex << (high << 16 | low) << " expected, got " << t.lane(9)[l];
      }
    }
  }
}

TEST(VectorPacked, FmacAccumulatesBothHalves) {
  TestWave t;
  t.fill(1, 0x40003c00), t.fill(2, 0x42004000), t.fill(3, 0x3c003c00);
  ASSERT_TRUE(t.run(make(Op::v_pk_fmac_f16, {vgpr(3)}, {vgpr(1), vgpr(2)}, Encoding::kVop2)));
  EXPECT_EQ(half_of(7) << 16 | half_of(3), t.lane(3)[0]);
}

TEST(VectorPacked, PairsOfFloatsSelectRegisters) {
  TestWave t;
  std::mt19937 random(89);
  for (int round = 0; round < 200; ++round) {
    for (unsigned r = 1; r <= 6; ++r) {
      for (unsigned l = 0; l < kLanes; ++l)
        t.lane(r)[l] = fbits(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8);
    }
    for (Op op : {Op::v_pk_add_f32, Op::v_pk_mul_f32, Op::v_pk_fma_f32}) {
      Instruction i = packed(op, {vgpr(10, 2)}, {vgpr(1, 2), vgpr(3, 2), vgpr(5, 2)});
      if (op != Op::v_pk_fma_f32) i.src_count = 2;
      const unsigned used = (1u << i.src_count) - 1;
      i.op_sel = static_cast<uint8_t>(random() & used), i.op_sel_hi = static_cast<uint8_t>(random() & used);
      i.neg_lo = static_cast<uint8_t>(random() & used), i.neg_hi = static_cast<uint8_t>(random() & used);
      ASSERT_TRUE(t.run(i));
      for (unsigned l = 0; l < kLanes; ++l) {
        for (unsigned h = 0; h < 2; ++h) {
          float v[3];
          for (unsigned k = 0; k < 3; ++k) {
            const float from = as_f32(t.lane(1 + 2 * k + (((h ? i.op_sel_hi : i.op_sel) >> k) & 1))[l]);
            v[k] = ((h ? i.neg_hi : i.neg_lo) >> k) & 1 ? -from : from;
          }
          const float expected = op == Op::v_pk_add_f32   ? v[0] + v[1]
                                 : op == Op::v_pk_mul_f32 ? v[0] * v[1]
                                                          : std::fma(v[0], v[1], v[2]);
          ASSERT_EQ(expected, as_f32(t.lane(10 + h)[l]));
        }
      }
    }
  }
}

TEST(VectorPacked, PairMoveTakesOneRegisterOfEachSource) {
  TestWave t;
  for (unsigned r = 1; r <= 4; ++r) t.fill(r, r);
  for (unsigned op_sel = 0; op_sel < 4; ++op_sel) {
    Instruction i = packed(Op::v_pk_mov_b32, {vgpr(10, 2)}, {vgpr(1, 2), vgpr(3, 2)});
    i.op_sel = static_cast<uint8_t>(op_sel);
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(1 + (op_sel & 1), t.lane(10)[5]);
    EXPECT_EQ(3 + (op_sel >> 1), t.lane(11)[5]);
  }
  // Source and destination may overlap: a swap of the pair.
  Instruction i = packed(Op::v_pk_mov_b32, {vgpr(1, 2)}, {vgpr(1, 2), vgpr(1, 2)});
  i.op_sel = 1;
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ(2u, t.lane(1)[0]);
  EXPECT_EQ(1u, t.lane(2)[0]);
}

TEST(VectorPacked, RefusesTheUndocumentedUpperHalfOfAConstantPair) {
  TestWave t;
  Instruction i = packed(Op::v_pk_add_f32, {vgpr(1, 2)}, {vgpr(3, 2), constant(fbits(1))});
  i.op_sel_hi = 3;
  EXPECT_FALSE(t.supports(i));
  i.op_sel_hi = 1;
  EXPECT_TRUE(t.supports(i));
}

// -x - 0 of a pair, as clang writes it: v_pk_add_f32 v[1:2], v[3:4], 0 neg_lo:[1,1] neg_hi:[1,1]
TEST(VectorPacked, ZeroIsZeroInBothHalvesOfAConstantPair) {
  for (Op op : {Op::v_pk_add_f32, Op::v_pk_mul_f32}) {
    TestWave t;
    Instruction i = packed(op, {vgpr(1, 2)}, {vgpr(3, 2), constant(0)});
    i.op_sel_hi = i.neg_lo = i.neg_hi = 3;
    for (unsigned l = 0; l < kLanes; ++l) {
      t.lane(3)[l] = fbits(static_cast<float>(l) - 7);
      t.lane(4)[l] = fbits(0.5f * static_cast<float>(l));
    }
    ASSERT_TRUE(t.run(i));
    for (unsigned half = 0; half < 2; ++half) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const volatile float x = as_f32(t.lane(3 + half)[l]), zero = -0.0f;
        EXPECT_EQ(fbits(op == Op::v_pk_add_f32 ? -x + zero : -x * zero), t.lane(1 + half)[l]);
      }
    }
  }
}

TEST(VectorMixed, EachSourceIsAHalfOrAFloatAndTheResultGoesWhereNamed) {
  TestWave t;
  t.fill(1, 0x40003c00);  // halves 2, 1
  t.fill(2, fbits(1.5f));
  t.fill(3, 0xc8000000);  // half -8 above
  for (unsigned k = 0; k < 2; ++k) {
    Instruction i =
        make(Op::v_fma_mix_f32, {vgpr(5)}, {vgpr(1), negated(vgpr(2)), absolute(vgpr(3))}, Encoding::kVop3p);
    i.op_sel_hi = 5;
    i.op_sel = static_cast<uint8_t>(4 | k);
    const float expected = (k ? 2.0f : 1.0f) * -1.5f + 8.0f;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(expected, as_f32(t.lane(5)[0]));
    t.fill(5, 0xaaaa5555);
    i.op = Op::v_fma_mixlo_f16;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(0xaaaa0000 | half_of(expected), t.lane(5)[0]);
    t.fill(5, 0xaaaa5555);
    i.op = Op::v_fma_mixhi_f16;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(half_of(expected) << 16 | 0x5555, t.lane(5)[0]);
    i.clamp = true;
    ASSERT_TRUE(t.run(i));
    EXPECT_EQ(0x3c005555u, t.lane(5)[0]);
  }
}

template <unsigned kBits, bool kSigned>
int64_t dot(uint32_t a, uint32_t b, uint32_t c) {
  int64_t sum = kSigned ? static_cast<int32_t>(c) : static_cast<int64_t>(c);
  for (unsigned k = 0; k < 32; k += kBits) {
    int64_t x = (a >> k) & ((1u << kBits) - 1), y = (b >> k) & ((1u << kBits) - 1);
    if (kSigned && x >> (kBits - 1)) x -= 1 << kBits;
    if (kSigned && y >> (kBits - 1)) y -= 1 << kBits;
    sum += x * y;
  }
  return sum;
}

TEST(VectorDot, IntegerProductsAreSummedExactlyAndWrapOrSaturate) {
  struct Dot {
    Op op;
    bool is_signed, accumulates;
    int64_t (*exact)(uint32_t, uint32_t, uint32_t);
  };
  const Dot cases[] = {
      {Op::v_dot2_i32_i16, true, false, dot<16, true>}, {Op::v_dot2_u32_u16, false, false, dot<16, false>},
      {Op::v_dot4_i32_i8, true, false, dot<8, true>},   {Op::v_dot4_u32_u8, false, false, dot<8, false>},
      {Op::v_dot8_i32_i4, true, false, dot<4, true>},   {Op::v_dot8_u32_u4, false, false, dot<4, false>},
      {Op::v_dot2c_i32_i16, true, true, dot<16, true>}, {Op::v_dot4c_i32_i8, true, true, dot<8, true>},
      {Op::v_dot8c_i32_i4, true, true, dot<4, true>}};
  std::mt19937 random(97);
  for (const Dot& c : cases) {
    for (bool clamp : {false, true}) {
      if (clamp && c.accumulates) continue;
      TestWave t;
      for (int round = 0; round < 50; ++round) {
        for (unsigned r = 1; r <= 3; ++r) {
          for (unsigned l = 0; l < kLanes; ++l)
            t.lane(r)[l] = l % 4 == 0 ? 0x7fff7fffu + l * 0x20000000u : static_cast<uint32_t>(random());
        }
        const std::vector<uint32_t> accumulator(t.lane(3), t.lane(3) + kLanes);
        Instruction i = c.accumulates ? make(c.op, {vgpr(3)}, {vgpr(1), vgpr(2)}, Encoding::kVop2)
                                      : packed(c.op, {vgpr(4)}, {vgpr(1), vgpr(2), vgpr(3)});
        i.clamp = clamp;
        ASSERT_TRUE(t.run(i));
        for (unsigned l = 0; l < kLanes; ++l) {
          int64_t exact = c.exact(t.lane(1)[l], t.lane(2)[l], accumulator[l]);
          if (clamp)
            exact =
                c.is_signed ? std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX) : std::min<int64_t>(exact, UINT32_MAX);
          ASSERT_EQ(static_cast<uint32_t>(exact), t.lane(c.accumulates ? 3 : 4)[l]);
        }
      }
    }
  }
}

TEST(VectorDot, HalvesAreMultipliedExactlyAndSummedInFloat) {
  TestWave t;
  t.fill(1, 0x40003c01), t.fill(2, 0x42003c01), t.fill(3, fbits(0x1p10f));
  Instruction i = packed(Op::v_dot2_f32_f16, {vgpr(4)}, {vgpr(1), vgpr(2), vgpr(3)});
  ASSERT_TRUE(t.run(i));
  const float square = (1 + 0x1p-10f) * (1 + 0x1p-10f);
  EXPECT_EQ((0x1p10f + square) + 6.0f, as_f32(t.lane(4)[0]));
  i.neg_lo = 1;  // the low halves' product
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ((0x1p10f - square) + 6.0f, as_f32(t.lane(4)[0]));
  ASSERT_TRUE(t.run(make(Op::v_dot2c_f32_f16, {vgpr(3)}, {vgpr(1), vgpr(2)}, Encoding::kVop2)));
  EXPECT_EQ((0x1p10f + square) + 6.0f, as_f32(t.lane(3)[0]));
  t.fill(1, 0x00000200), t.fill(3, 0);  // a denormal half is flushed
  ASSERT_TRUE(t.run(make(Op::v_dot2c_f32_f16, {vgpr(3)}, {vgpr(1), vgpr(2)}, Encoding::kVop2)));
  EXPECT_EQ(0.0f, as_f32(t.lane(3)[0]));
}

}  // namespace
}  // namespace kernloop::softgpu::vector
