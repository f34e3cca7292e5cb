// SMFMAC against products with the whole of A, whose elements are found by AMD's own formulas (matrix instruction
// calculator, CDNA3, "register to matrix element mapping"): from lane and register to row, column and depth.
#include <random>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

enum class Form { kHalf, kBrain, kByte, kFp8, kBf8 };

struct Sparse {
  Op op;
  const char* name;
  Form a, b;
  unsigned size, depth;

  unsigned per_lane() const { return a == Form::kHalf || a == Form::kBrain ? 4 : 8; }  // elements of A
  unsigned sets() const { return per_lane() == 4 ? 4 : 2; }                            // sets of indices in a register
};
#define S(name, a, b, size, depth) \
  { Op::name, #name, Form::a, Form::b, size, depth }
const Sparse kSparse[] = {
    S(v_smfmac_f32_16x16x32_f16, kHalf, kHalf, 16, 32),    S(v_smfmac_f32_32x32x16_f16, kHalf, kHalf, 32, 16),
    S(v_smfmac_f32_16x16x32_bf16, kBrain, kBrain, 16, 32), S(v_smfmac_f32_32x32x16_bf16, kBrain, kBrain, 32, 16),
    S(v_smfmac_i32_16x16x64_i8, kByte, kByte, 16, 64),     S(v_smfmac_i32_32x32x32_i8, kByte, kByte, 32, 32),
    S(v_smfmac_f32_16x16x64_bf8_bf8, kBf8, kBf8, 16, 64),  S(v_smfmac_f32_16x16x64_bf8_fp8, kBf8, kFp8, 16, 64),
    S(v_smfmac_f32_16x16x64_fp8_bf8, kFp8, kBf8, 16, 64),  S(v_smfmac_f32_16x16x64_fp8_fp8, kFp8, kFp8, 16, 64),
    S(v_smfmac_f32_32x32x32_bf8_bf8, kBf8, kBf8, 32, 32),  S(v_smfmac_f32_32x32x32_bf8_fp8, kBf8, kFp8, 32, 32),
    S(v_smfmac_f32_32x32x32_fp8_bf8, kFp8, kBf8, 32, 32),  S(v_smfmac_f32_32x32x32_fp8_fp8, kFp8, kFp8, 32, 32),
};
#undef S

// -2, -1, 0, 1 or 2: by the definition of the formats, whose bias is 8 (fp8) or 16 (bf8).
uint32_t code_of(Form form, int v) {
  const uint32_t magnitude = static_cast<uint32_t>(v < 0 ? -v : v), sign = v < 0 ? 0x80 : 0;
  switch (form) {
    case Form::kHalf:
      return half_of(v);
    case Form::kBrain:
      return fbits(static_cast<float>(v)) >> 16;
    case Form::kByte:
      return static_cast<uint32_t>(v) & 0xff;
    case Form::kFp8:
      return magnitude == 0 ? 0 : sign | (magnitude == 1 ? 8u << 3 : 9u << 3);
    case Form::kBf8:
      return magnitude == 0 ? 0 : sign | (magnitude == 1 ? 16u << 2 : 17u << 2);
  }
  return 0;
}

void put(TestWave& t, unsigned r, unsigned lane, unsigned e, Form form, int v) {
  const unsigned width = form == Form::kHalf || form == Form::kBrain ? 16 : 8, per_dword = 32 / width;
  uint32_t& word = t.lane(r + e / per_dword)[lane];
  const unsigned shift = width * (e % per_dword);
  word = (word & ~(((1u << width) - 1) << shift)) | code_of(form, v) << shift;
}

// Row of result `n` in a lane.
unsigned row_of(const Sparse& s, unsigned lane, unsigned n) {
  return s.size == 32 ? 8 * (n / 4) + 4 * (lane / 32) + n % 4 : 4 * (lane / 16) + n;
}

void check(const Sparse& s, unsigned cbsz, unsigned abid, bool accumulation_registers, std::mt19937& random) {
  constexpr unsigned kMaxDepth = 64, kA = 0, kB = 4, kIndices = 10, kD = 40;
  const unsigned per = s.per_lane(), results = s.size * s.size / kLanes;
  const bool integers = s.a == Form::kByte;
  const auto small = [&] { return static_cast<int>(random() % 5) - 2; };
  TestWave t;
  t.scribble();
  t.wave.set_exec(1);  // plays no part
  int a[32][kMaxDepth] = {}, b[kMaxDepth][32] = {};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t indices = 0;
    for (unsigned e = 0; e < per; ++e) {
      const unsigned index = random() % 4;  // the same one twice and in any order, too
      const int v = small();
      put(t, kA, lane, e, s.a, v);
      indices |= index << (2 * e);
      a[lane % s.size][2 * per * (lane / s.size) + 4 * (e / 2) + index] += v;
    }
    // The other sets' content is irrelevant.
    const unsigned set = cbsz != 0 ? 0 : abid;
    const uint32_t mask = (per == 4 ? 0xffu : 0xffffu) << (2 * per * set);
    t.lane(kIndices)[lane] = (static_cast<uint32_t>(random()) & ~mask) | indices << (2 * per * set);
    for (unsigned e = 0; e < 2 * per; ++e) {
      const int v = small();
      put(t, kB, lane, e, s.b, v);
      b[2 * per * (lane / s.size) + e][lane % s.size] = v;
    }
  }
  VectorRegister* file = accumulation_registers ? t.wave.agpr : t.wave.vgpr;
  int c[32][32] = {};
  for (unsigned n = 0; n < results; ++n) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const int v = static_cast<int>(random() % 2001) - 1000;
      c[row_of(s, lane, n)][lane % s.size] = v;
      file[kD + n][lane] = integers ? static_cast<uint32_t>(v) : fbits(static_cast<float>(v));
    }
  }
  const Operand d = accumulation_registers ? agpr(kD, results) : vgpr(kD, results);
  Instruction i = make(s.op, {d}, {vgpr(kA, 2), vgpr(kB, 4), vgpr(kIndices)}, Encoding::kVop3p);
  i.cbsz = static_cast<uint8_t>(cbsz), i.abid = static_cast<uint8_t>(abid);
  ASSERT_TRUE(t.run(i));
  for (unsigned n = 0; n < results; ++n) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      int expected = c[row_of(s, lane, n)][lane % s.size];
      for (unsigned k = 0; k < s.depth; ++k) expected += a[row_of(s, lane, n)][k] * b[k][lane % s.size];
      const uint32_t there = file[kD + n][lane];
      ASSERT_EQ(expected, integers ? static_cast<double>(static_cast<int32_t>(there)) : as_f32(there))
          << "lane " << lane << " result " << n;
    }
  }
}

TEST(VectorSmfmac, EveryShapeIsTheProductWithTheWholeOfA) {
  std::mt19937 random(103);
  for (const Sparse& s : kSparse) {
    SCOPED_TRACE(s.name);
    for (bool accumulation_registers : {false, true}) {
      for (unsigned abid = 0; abid < s.sets(); ++abid) check(s, 0, abid, accumulation_registers, random);
      check(s, 3, 1, accumulation_registers, random);  // the first set, for any abid
    }
  }
}

TEST(VectorSmfmac, SetsOfIndicesThatARegisterHasNotAreRefused) {
  TestWave t;
  for (const Sparse& s : kSparse) {
    Instruction i = make(s.op, {vgpr(40, 16)}, {vgpr(0, 2), vgpr(4, 4), vgpr(10)}, Encoding::kVop3p);
    i.abid = static_cast<uint8_t>(s.sets());
    EXPECT_FALSE(t.run(i)) << s.name;
  }
}

}  // namespace
}  // namespace kernloop::softgpu::vector
