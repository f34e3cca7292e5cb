// 32-, 16- and 64-bit integers against plain host arithmetic, lane by lane.
#include <functional>
#include <random>

#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using i128 = __int128;

constexpr u32 kEdges[] = {0,          1,          2,          3,          4,          5,          7,
                          8,          15,         16,         17,         23,         24,         31,
                          32,         33,         0x7f,       0x80,       0xff,       0x100,      0x7fff,
                          0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,
                          0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678,
                          0xdeadbeef, 0xaaaaaaaa, 0x55555555, 0x01020304, 0x80808080};

struct Triple {
  u32 a, b, c;
};
std::vector<Triple> triples() {
  std::vector<Triple> all;
  for (u32 a : kEdges) {
    for (u32 b : kEdges) all.push_back({a, b, kEdges[(all.size() * 7 + all.size() / 40) % std::size(kEdges)]});
  }
  std::mt19937 random(1);
  for (int k = 0; k < 2000; ++k)
    all.push_back({static_cast<u32>(random()), static_cast<u32>(random()), static_cast<u32>(random())});
  return all;
}

struct Case {
  Op op;
  const char* name;
  unsigned sources;
  bool clamp;
  std::function<u32(u32, u32, u32)> expected;
};

i32 s(u32 v) {
  return static_cast<i32>(v);
}
i64 s16(u32 v) {
  return static_cast<int16_t>(v);
}
i64 s24(u32 v) {
  return (static_cast<i64>(v & 0xffffff) ^ 0x800000) - 0x800000;
}
u32 h(i64 v) {
  return static_cast<u32>(v) & 0xffff;
}
i64 bound(i64 v, i64 low, i64 high) {
  return v < low ? low : v > high ? high : v;
}
u32 clamp_u32(i64 v) {
  return static_cast<u32>(bound(v, 0, UINT32_MAX));
}
u32 clamp_i32(i64 v) {
  return static_cast<u32>(bound(v, INT32_MIN, INT32_MAX));
}
u32 clamp_u16(i64 v) {
  return h(bound(v, 0, 65535));
}
u32 clamp_i16(i64 v) {
  return h(bound(v, -32768, 32767));
}
u32 bit_by_bit_reverse(u32 a) {
  u32 r = 0;
  for (int k = 0; k < 32; ++k) r |= ((a >> k) & 1) << (31 - k);
  return r;
}
u32 first_bit(u32 a, bool from_top, u32 wanted_from = 0) {
  for (u32 k = wanted_from; k < 32; ++k) {
    if ((a >> (from_top ? 31 - k : k)) & 1) return k;
  }
  return ~0u;
}
u32 extract(u32 a, u32 offset, u32 width, bool sign) {
  u64 v = sign ? static_cast<u64>(static_cast<i64>(s(a))) : a;
  v >>= offset;
  if (width == 0) return 0;
  v &= (1ull << width) - 1;
  if (sign && ((v >> (width - 1)) & 1)) v |= ~0ull << width;
  return static_cast<u32>(v);
}
template <class T>
T middle(T a, T b, T c) {
  T v[] = {a, b, c};
  std::sort(v, v + 3);
  return v[1];
}
u32 permute(u32 a, u32 b, u32 c) {
  uint8_t in[8];
  std::memcpy(in, &b, 4);
  std::memcpy(in + 4, &a, 4);
  u32 r = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 selector = (c >> (8 * k)) & 0xff;
    uint8_t v = 0xff;
    if (selector < 8)
      v = in[selector];
    else if (selector < 12)
      v = in[2 * (selector - 8) + 1] & 0x80 ? 0xff : 0;
    else if (selector == 12)
      v = 0;
    r |= static_cast<u32>(v) << (8 * k);
  }
  return r;
}
u32 sad8(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (int k = 0; k < 32; k += 8) {
    const int x = (a >> k) & 0xff, y = (b >> k) & 0xff;
    if (!masked || y) sum += static_cast<u32>(std::abs(x - y));
  }
  return sum;
}
u32 lerp(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int k = 0; k < 32; k += 8) r |= ((((a >> k) & 0xff) + ((b >> k) & 0xff) + ((c >> k) & 1)) / 2) << k;
  return r;
}

const Case kCases[] = {
#define OP(name) Op::name, #name
    {OP(v_mov_b32), 1, false, [](u32 a, u32, u32) { return a; }},
    {OP(v_not_b32), 1, false, [](u32 a, u32, u32) { return ~a; }},
    {OP(v_bfrev_b32), 1, false, [](u32 a, u32, u32) { return bit_by_bit_reverse(a); }},
    {OP(v_ffbh_u32), 1, false, [](u32 a, u32, u32) { return first_bit(a, true); }},
    {OP(v_ffbl_b32), 1, false, [](u32 a, u32, u32) { return first_bit(a, false); }},
    {OP(v_ffbh_i32), 1, false, [](u32 a, u32, u32) { return first_bit(s(a) < 0 ? ~a : a, true, 1); }},
    {OP(v_and_b32), 2, false, [](u32 a, u32 b, u32) { return a & b; }},
    {OP(v_or_b32), 2, false, [](u32 a, u32 b, u32) { return a | b; }},
    {OP(v_xor_b32), 2, false, [](u32 a, u32 b, u32) { return a ^ b; }},
    {OP(v_xnor_b32), 2, false, [](u32 a, u32 b, u32) { return ~(a ^ b); }},
    {OP(v_lshlrev_b32), 2, false, [](u32 a, u32 b, u32) { return b << (a % 32); }},
    {OP(v_lshrrev_b32), 2, false, [](u32 a, u32 b, u32) { return b >> (a % 32); }},
    {OP(v_ashrrev_i32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(s(b) >> (a % 32)); }},
    {OP(v_add_u32), 2, false, [](u32 a, u32 b, u32) { return a + b; }},
    {OP(v_add_u32), 2, true, [](u32 a, u32 b, u32) { return clamp_u32(i64{a} + b); }},
    {OP(v_sub_u32), 2, false, [](u32 a, u32 b, u32) { return a - b; }},
    {OP(v_sub_u32), 2, true, [](u32 a, u32 b, u32) { return clamp_u32(i64{a} - b); }},
    {OP(v_subrev_u32), 2, false, [](u32 a, u32 b, u32) { return b - a; }},
    {OP(v_subrev_u32), 2, true, [](u32 a, u32 b, u32) { return clamp_u32(i64{b} - a); }},
    {OP(v_add_i32), 2, false, [](u32 a, u32 b, u32) { return a + b; }},
    {OP(v_add_i32), 2, true, [](u32 a, u32 b, u32) { return clamp_i32(i64{s(a)} + s(b)); }},
    {OP(v_sub_i32), 2, true, [](u32 a, u32 b, u32) { return clamp_i32(i64{s(a)} - s(b)); }},
    {OP(v_add3_u32), 3, false, [](u32 a, u32 b, u32 c) { return a + b + c; }},
    {OP(v_xad_u32), 3, false, [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }},
    {OP(v_lshl_add_u32), 3, false, [](u32 a, u32 b, u32 c) { return (a << (b % 32)) + c; }},
    {OP(v_add_lshl_u32), 3, false, [](u32 a, u32 b, u32 c) { return (a + b) << (c % 32); }},
    {OP(v_lshl_or_b32), 3, false, [](u32 a, u32 b, u32 c) { return (a << (b % 32)) | c; }},
    {OP(v_and_or_b32), 3, false, [](u32 a, u32 b, u32 c) { return (a & b) | c; }},
    {OP(v_or3_b32), 3, false, [](u32 a, u32 b, u32 c) { return a | b | c; }},
    {OP(v_mul_lo_u32), 2, false, [](u32 a, u32 b, u32) { return a * b; }},
    {OP(v_mul_hi_u32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>((u64{a} * b) >> 32); }},
    {OP(v_mul_hi_i32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>((i64{s(a)} * s(b)) >> 32); }},
    {OP(v_mul_u32_u24), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff)); }},
    {OP(v_mul_hi_u32_u24), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>((u64{a & 0xffffff} * (b & 0xffffff)) >> 32); }},
    {OP(v_mul_i32_i24), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(s24(a) * s24(b)); }},
    {OP(v_mul_hi_i32_i24), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>((s24(a) * s24(b)) >> 32); }},
    {OP(v_mad_u32_u24), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) + c); }},
    {OP(v_mad_u32_u24), 3, true, [](u32 a, u32 b, u32 c) { return clamp_u32(static_cast<i64>(u64{a & 0xffffff} * (b & 0xffffff) + c)); }},
    {OP(v_mad_i32_i24), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(s24(a) * s24(b) + s(c)); }},
    {OP(v_mad_i32_i24), 3, true, [](u32 a, u32 b, u32 c) { return clamp_i32(s24(a) * s24(b) + s(c)); }},
    {OP(v_mad_u32_u16), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a & 0xffff} * (b & 0xffff) + c); }},
    {OP(v_mad_i32_i16), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(s16(a) * s16(b) + s(c)); }},
    {OP(v_min_u32), 2, false, [](u32 a, u32 b, u32) { return std::min(a, b); }},
    {OP(v_max_u32), 2, false, [](u32 a, u32 b, u32) { return std::max(a, b); }},
    {OP(v_min_i32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(std::min(s(a), s(b))); }},
    {OP(v_max_i32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(std::max(s(a), s(b))); }},
    {OP(v_min3_u32), 3, false, [](u32 a, u32 b, u32 c) { return std::min({a, b, c}); }},
    {OP(v_max3_u32), 3, false, [](u32 a, u32 b, u32 c) { return std::max({a, b, c}); }},
    {OP(v_med3_u32), 3, false, [](u32 a, u32 b, u32 c) { return middle(a, b, c); }},
    {OP(v_min3_i32), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(std::min({s(a), s(b), s(c)})); }},
    {OP(v_max3_i32), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(std::max({s(a), s(b), s(c)})); }},
    {OP(v_med3_i32), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(middle(s(a), s(b), s(c))); }},
    {OP(v_bfe_u32), 3, false, [](u32 a, u32 b, u32 c) { return extract(a, b % 32, c % 32, false); }},
    {OP(v_bfe_i32), 3, false, [](u32 a, u32 b, u32 c) { return extract(a, b % 32, c % 32, true); }},
    {OP(v_bfi_b32), 3, false, [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }},
    {OP(v_bfm_b32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(((1ull << (a % 32)) - 1) << (b % 32)); }},
    {OP(v_alignbit_b32), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(((u64{a} << 32) | b) >> (c % 32)); }},
    {OP(v_alignbyte_b32), 3, false, [](u32 a, u32 b, u32 c) { return static_cast<u32>(((u64{a} << 32) | b) >> (8 * (c % 4))); }},
    {OP(v_bcnt_u32_b32), 2, false, [](u32 a, u32 b, u32) { return static_cast<u32>(__builtin_popcount(a)) + b; }},
    {OP(v_add_u16), 2, false, [](u32 a, u32 b, u32) { return h(i64{a} + b); }},
    {OP(v_add_u16), 2, true, [](u32 a, u32 b, u32) { return clamp_u16(i64{h(a)} + h(b)); }},
    {OP(v_sub_u16), 2, false, [](u32 a, u32 b, u32) { return h(i64{a} - b); }},
    {OP(v_sub_u16), 2, true, [](u32 a, u32 b, u32) { return clamp_u16(i64{h(a)} - h(b)); }},
    {OP(v_subrev_u16), 2, false, [](u32 a, u32 b, u32) { return h(i64{b} - a); }},
    {OP(v_mul_lo_u16), 2, false, [](u32 a, u32 b, u32) { return h(static_cast<i64>(u64{h(a)} * h(b))); }},
    {OP(v_lshlrev_b16), 2, false, [](u32 a, u32 b, u32) { return h(i64{h(b)} << (a % 16)); }},
    {OP(v_lshrrev_b16), 2, false, [](u32 a, u32 b, u32) { return h(b) >> (a % 16); }},
    {OP(v_ashrrev_i16), 2, false, [](u32 a, u32 b, u32) { return h(s16(b) >> (a % 16)); }},
    {OP(v_min_u16), 2, false, [](u32 a, u32 b, u32) { return std::min(h(a), h(b)); }},
    {OP(v_max_u16), 2, false, [](u32 a, u32 b, u32) { return std::max(h(a), h(b)); }},
    {OP(v_min_i16), 2, false, [](u32 a, u32 b, u32) { return h(std::min(s16(a), s16(b))); }},
    {OP(v_max_i16), 2, false, [](u32 a, u32 b, u32) { return h(std::max(s16(a), s16(b))); }},
    {OP(v_mad_legacy_u16), 3, false, [](u32 a, u32 b, u32 c) { return h(static_cast<i64>(u64{h(a)} * h(b) + h(c))); }},
    {OP(v_mad_legacy_i16), 3, false, [](u32 a, u32 b, u32 c) { return h(s16(a) * s16(b) + s16(c)); }},
    {OP(v_mad_legacy_i16), 3, true, [](u32 a, u32 b, u32 c) { return clamp_i16(s16(a) * s16(b) + s16(c)); }},
    {OP(v_perm_b32), 3, false, permute},
    {OP(v_lerp_u8), 3, false, lerp},
    {OP(v_sad_u8), 3, false, [](u32 a, u32 b, u32 c) { return sad8(a, b, false) + c; }},
    {OP(v_sad_u8), 3, true, [](u32 a, u32 b, u32 c) { return clamp_u32(i64{sad8(a, b, false)} + c); }},
    {OP(v_sad_hi_u8), 3, false, [](u32 a, u32 b, u32 c) { return (sad8(a, b, false) << 16) + c; }},
    {OP(v_msad_u8), 3, false, [](u32 a, u32 b, u32 c) { return sad8(a, b, true) + c; }},
    {OP(v_sad_u16), 3, false,
     [](u32 a, u32 b, u32 c) {
       return static_cast<u32>(std::abs(i32(a & 0xffff) - i32(b & 0xffff)) + std::abs(i32(a >> 16) - i32(b >> 16))) + c;
     }},
    {OP(v_sad_u32), 3, false, [](u32 a, u32 b, u32 c) { return std::max(a, b) - std::min(a, b) + c; }},
    {OP(v_cvt_pk_u16_u32), 2, false, [](u32 a, u32 b, u32) { return clamp_u16(a) | clamp_u16(b) << 16; }},
    {OP(v_cvt_pk_i16_i32), 2, false, [](u32 a, u32 b, u32) { return clamp_i16(s(a)) | clamp_i16(s(b)) << 16; }},
    {OP(v_sat_pk_u8_i16), 1, false, [](u32 a, u32, u32) { return static_cast<u32>(bound(s16(a), 0, 255) | bound(s16(a >> 16), 0, 255) << 8); }},
#undef OP
};

TEST(VectorIntegers, AgreeWithHostArithmeticOnEdgesAndRandomValues) {
  const std::vector<Triple> values = triples();
  for (const Case& c : kCases) {
    SCOPED_TRACE(::testing::Message() << c.name << (c.clamp ? " clamp" : ""));
    TestWave t;
    Instruction i = make(c.op, {vgpr(9)}, {vgpr(1), vgpr(2), vgpr(3)});
    i.src_count = static_cast<uint8_t>(c.sources);
    i.clamp = c.clamp;
    for (size_t base = 0; base < values.size(); base += kLanes) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const Triple& v = values[(base + l) % values.size()];
        t.lane(1)[l] = v.a, t.lane(2)[l] = v.b, t.lane(3)[l] = v.c;
      }
      ASSERT_TRUE(t.run(i));
      for (unsigned l = 0; l < kLanes; ++l) {
        const Triple& v = values[(base + l) % values.size()];
        ASSERT_EQ(c.expected(v.a, v.b, v.c), t.lane(9)[l]) << std::hex << v.a << ' ' << v.b << ' ' << v.c;
      }
    }
  }
}

TEST(VectorIntegers, ResultMayOverwriteASource) {
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = l, t.lane(2)[l] = 100 * l;
  ASSERT_TRUE(t.run(make(Op::v_sub_u32, {vgpr(1)}, {vgpr(2), vgpr(1)})));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(99 * l, t.lane(1)[l]);
}

TEST(VectorIntegers, WideShiftsReadOverlappingRegistersBeforeTheyWrite) {
  for (unsigned dst : {4u, 5u, 6u, 3u}) {
    TestWave t;
    for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = l + 60, t.set64(4, l, 0x9123456789abcdefull * (l + 1));
    ASSERT_TRUE(t.run(make(Op::v_ashrrev_i64, {vgpr(dst, 2)}, {vgpr(1), vgpr(4, 2)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      const i64 expected = static_cast<i64>(0x9123456789abcdefull * (l + 1)) >> ((l + 60) % 64);
      ASSERT_EQ(static_cast<u64>(expected), t.get64(dst, l)) << dst << ' ' << l;
    }
  }
}

TEST(VectorIntegers, ScalarAndConstantSourcesReachEveryLane) {
  TestWave t;
  t.wave.sgpr[7] = 1000;
  for (unsigned l = 0; l < kLanes; ++l) t.lane(2)[l] = l;
  ASSERT_TRUE(t.run(make(Op::v_add3_u32, {vgpr(1)}, {sgpr(7), vgpr(2), constant(~0ull)})));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(999 + l, t.lane(1)[l]);
}

TEST(VectorIntegers, LanesThatExecDisablesKeepTheirValues) {
  TestWave t;
  t.scribble();
  const std::vector<u32> old(t.lane(5), t.lane(5) + kLanes);
  for (u64 exec : {u64{0}, u64{1}, u64{0x8000000000000000}, u64{0x00ff00ff12345678}}) {
    for (unsigned l = 0; l < kLanes; ++l) t.lane(5)[l] = old[l];
    t.wave.set_exec(exec);
    ASSERT_TRUE(t.run(make(Op::v_add_u32, {vgpr(5)}, {vgpr(6), vgpr(7)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      EXPECT_EQ((exec >> l) & 1 ? t.lane(6)[l] + t.lane(7)[l] : old[l], t.lane(5)[l]);
    }
  }
}

TEST(VectorCarries, SumsGiveTheirCarriesInTheScalarPairAndZeroForInactiveLanes) {
  struct Carry {
    Op op;
    bool with_carry;
    std::function<i128(u32, u32, int)> exact;
  };
  const Carry cases[] = {
      {Op::v_add_co_u32, false, [](u32 a, u32 b, int) { return i128{a} + b; }},
      {Op::v_sub_co_u32, false, [](u32 a, u32 b, int) { return i128{a} - b; }},
      {Op::v_subrev_co_u32, false, [](u32 a, u32 b, int) { return i128{b} - a; }},
      {Op::v_addc_co_u32, true, [](u32 a, u32 b, int c) { return i128{a} + b + c; }},
      {Op::v_subb_co_u32, true, [](u32 a, u32 b, int c) { return i128{a} - b - c; }},
      {Op::v_subbrev_co_u32, true, [](u32 a, u32 b, int c) { return i128{b} - a - c; }},
  };
  const u64 carry_in = 0xf0f0a5a5c3c3ff00ull, exec = 0xffff0000fffffff1ull;
  const std::vector<Triple> values = triples();
  for (const Carry& c : cases) {
    TestWave t;
    t.wave.set_exec(exec);
    t.wave.set_sgpr64(10, carry_in);
    Instruction i = make(c.op, {vgpr(9), sgpr(12, 2)}, {vgpr(1), vgpr(2), sgpr(10, 2)});
    if (!c.with_carry) i.src_count = 2;
    for (size_t base = 0; base < values.size(); base += kLanes) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const Triple& v = values[(base + l) % values.size()];
        t.lane(1)[l] = v.a, t.lane(2)[l] = v.b, t.lane(9)[l] = 77;
      }
      t.wave.set_sgpr64(12, ~0ull);
      ASSERT_TRUE(t.run(i));
      for (unsigned l = 0; l < kLanes; ++l) {
        const i128 exact = c.exact(t.lane(1)[l], t.lane(2)[l], static_cast<int>((carry_in >> l) & 1));
        const bool active = (exec >> l) & 1;
        ASSERT_EQ(active ? static_cast<u32>(exact) : 77u, t.lane(9)[l]);
        ASSERT_EQ(active && (exact < 0 || exact > UINT32_MAX), (t.wave.sgpr64(12) >> l) & 1) << l;
      }
    }
  }
}

TEST(VectorCarries, CarryInAndOutMayBeTheSamePair) {
  TestWave t;
  t.fill(1, 0xffffffff);
  t.fill(2, 0);
  t.wave.set_vcc(0x5555555555555555ull);
  ASSERT_TRUE(
      t.run(make(Op::v_addc_co_u32, {vgpr(1), sgpr(kVcc, 2)}, {vgpr(1), vgpr(2), sgpr(kVcc, 2)}, Encoding::kVop2)));
  EXPECT_EQ(0x5555555555555555ull, t.wave.vcc());
  EXPECT_EQ(0u, t.lane(1)[0]);
  EXPECT_EQ(0xffffffffu, t.lane(1)[1]);
}

TEST(VectorCarries, WideMultiplyAddsAreExactInSixtyFiveBits) {
  const std::vector<Triple> values = triples();
  for (bool is_signed : {false, true}) {
    TestWave t;
    const Instruction i = make(is_signed ? Op::v_mad_i64_i32 : Op::v_mad_u64_u32, {vgpr(8, 2), sgpr(20, 2)},
                               {vgpr(1), vgpr(2), vgpr(4, 2)});
    for (size_t base = 0; base < values.size(); base += kLanes) {
      for (unsigned l = 0; l < kLanes; ++l) {
        const Triple& v = values[(base + l) % values.size()];
        t.lane(1)[l] = v.a, t.lane(2)[l] = v.b, t.lane(4)[l] = v.c,
        t.lane(5)[l] = values[(base * 3 + l * 5) % values.size()].a;
      }
      ASSERT_TRUE(t.run(i));
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 a = t.lane(1)[l], b = t.lane(2)[l];
        const u64 c = t.get64(4, l);
        const i128 exact = is_signed ? i128{s(a)} * s(b) + static_cast<i64>(c) : static_cast<i128>(u64{a} * b) + c;
        ASSERT_EQ(static_cast<u64>(exact), t.get64(8, l));
        ASSERT_EQ((exact >> 64) & 1, (t.wave.sgpr64(20) >> l) & 1);
      }
    }
  }
}

TEST(VectorCndmask, TakesTheSecondSourceWhereTheMaskIsSet) {
  TestWave t;
  const u64 mask = 0x123456789abcdef0ull;
  t.wave.set_sgpr64(30, mask);
  for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = l, t.lane(2)[l] = 1000 + l;
  ASSERT_TRUE(t.run(make(Op::v_cndmask_b32, {vgpr(3)}, {vgpr(1), vgpr(2), sgpr(30, 2)})));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(((mask >> l) & 1) ? 1000 + l : l, t.lane(3)[l]);
  ASSERT_TRUE(t.run(make(Op::v_cndmask_b32, {vgpr(3)}, {negated(vgpr(1)), absolute(vgpr(2)), sgpr(30, 2)})));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(((mask >> l) & 1) ? 1000 + l : l ^ 0x80000000u, t.lane(3)[l]);
}

TEST(VectorIntegers, SlidingSumsOfDifferencesUseFourWindows) {
  TestWave t;
  std::mt19937 random(3);
  for (unsigned r = 1; r < 12; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) t.lane(r)[l] = static_cast<u32>(random()) & (l % 3 ? ~0u : 0xff00ff00u);
  }
  for (bool masked : {false, true}) {
    ASSERT_TRUE(t.run(
        make(masked ? Op::v_mqsad_pk_u16_u8 : Op::v_qsad_pk_u16_u8, {vgpr(20, 2)}, {vgpr(1, 2), vgpr(3), vgpr(4, 2)})));
    for (unsigned l = 0; l < kLanes; ++l) {
      for (unsigned k = 0; k < 4; ++k) {
        const u32 window = static_cast<u32>(t.get64(1, l) >> (8 * k));
        EXPECT_EQ(h(sad8(window, t.lane(3)[l], masked) + i64{h(static_cast<i64>(t.get64(4, l) >> (16 * k)))}),
                  h(static_cast<i64>(t.get64(20, l) >> (16 * k))));
      }
    }
  }
  ASSERT_TRUE(t.run(make(Op::v_mqsad_u32_u8, {vgpr(20, 4)}, {vgpr(1, 2), vgpr(3), vgpr(6, 4)})));
  for (unsigned l = 0; l < kLanes; ++l) {
    for (unsigned k = 0; k < 4; ++k) {
      EXPECT_EQ(sad8(static_cast<u32>(t.get64(1, l) >> (8 * k)), t.lane(3)[l], true) + t.lane(6 + k)[l],
                t.lane(20 + k)[l]);
    }
  }
}

TEST(VectorIntegers, RefuseModifiersThatMeanNothingToThem) {
  TestWave t;
  EXPECT_FALSE(t.supports(make(Op::v_add_u32, {vgpr(1)}, {negated(vgpr(2)), vgpr(3)})));
  EXPECT_FALSE(t.supports(make(Op::v_xor_b32, {vgpr(1)}, {absolute(vgpr(2)), vgpr(3)})));
  Instruction i = make(Op::v_xor_b32, {vgpr(1)}, {vgpr(2), vgpr(3)});
  i.clamp = true;
  EXPECT_FALSE(t.supports(i));
  i = make(Op::v_add_u32, {vgpr(1)}, {vgpr(2), vgpr(3)});
  i.omod = 1;
  EXPECT_FALSE(t.supports(i));
  i = make(Op::v_add_u32, {vgpr(1)}, {vgpr(2), vgpr(3)});
  i.op_sel = 1;
  EXPECT_FALSE(t.supports(i));
}

}  // namespace
}  // namespace kernloop::softgpu::vector
