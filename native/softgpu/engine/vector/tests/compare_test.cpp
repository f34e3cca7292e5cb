// Comparisons of every type: results for inactive lanes, NaNs, EXEC writes, classes.
#include <functional>
#include <random>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

// The relation as three-way order: bit 0 less, 1 equal, 2 greater, 3 unordered.
struct Relation {
  const char* name;
  unsigned holds;
};
constexpr Relation kFloatRelations[] = {
    {"f", 0}, {"lt", 1},  {"eq", 2},      {"le", 3},      {"gt", 4},      {"lg", 5},      {"ge", 6},      {"o", 7},
    {"u", 8}, {"nge", 9}, {"nlg", 8 | 2}, {"ngt", 8 | 3}, {"nle", 8 | 4}, {"neq", 8 | 5}, {"nlt", 8 | 6}, {"tru", 15}};
constexpr Relation kIntegerRelations[] = {{"f", 0},  {"lt", 1}, {"eq", 2}, {"le", 3},
                                          {"gt", 4}, {"ne", 5}, {"ge", 6}, {"t", 7}};

Op op_named(const std::string& name) {
  static const std::pair<const char*, Op> kNames[] = {
#define OP(op, ...) {#op, Op::op},
#include "softgpu/isa/operations.def"
#undef OP
  };
  for (const auto& [text, op] : kNames) {
    if (name == text) return op;
  }
  ADD_FAILURE() << "no such operation: " << name;
  return Op::kInvalid;
}

template <class V>
unsigned order(V a, V b) {
  return a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
}

struct Type {
  const char* name;
  bool floating;
  unsigned dwords;
  std::function<unsigned(uint64_t, uint64_t)> order_of;
};
const Type kTypes[] = {
    {"i16", false, 1, [](uint64_t a, uint64_t b) { return order(static_cast<int16_t>(a), static_cast<int16_t>(b)); }},
    {"u16", false, 1, [](uint64_t a, uint64_t b) { return order(static_cast<uint16_t>(a), static_cast<uint16_t>(b)); }},
    {"i32", false, 1, [](uint64_t a, uint64_t b) { return order(static_cast<int32_t>(a), static_cast<int32_t>(b)); }},
    {"u32", false, 1, [](uint64_t a, uint64_t b) { return order(static_cast<uint32_t>(a), static_cast<uint32_t>(b)); }},
    {"i64", false, 2, [](uint64_t a, uint64_t b) { return order(static_cast<int64_t>(a), static_cast<int64_t>(b)); }},
    {"u64", false, 2, [](uint64_t a, uint64_t b) { return order(a, b); }},
    {"f16", true, 1, [](uint64_t a, uint64_t b) { return order(half_value(a & 0xffff), half_value(b & 0xffff)); }},
    {"f32", true, 1,
     [](uint64_t a, uint64_t b) { return order(as_f32(static_cast<uint32_t>(a)), as_f32(static_cast<uint32_t>(b))); }},
    {"f64", true, 2, [](uint64_t a, uint64_t b) { return order(as_f64(a), as_f64(b)); }},
};

void fill_compare_sources(TestWave& t, std::mt19937_64& random) {
  const uint32_t edges[] = {0,          0x80000000, 0x80008000, 1,          0xffffffff, 0x7fffffff, 0x3f800000,
                            0x7f800000, 0x7fc00000, 0x7ff00000, 0x7ff80000, 0x7c007c00, 0x7e007e00};
  for (unsigned r = 1; r <= 4; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint64_t x = random();
      t.lane(r)[l] = x % 2 ? edges[x / 2 % std::size(edges)] : static_cast<uint32_t>(x >> 8);
      if (x % 5 == 0 && r > 2) t.lane(r)[l] = t.lane(r - 2)[l];
    }
  }
}

TEST(VectorCompare, EveryRelationOfEveryTypeGivesActiveLanesTheirBitAndOthersZero) {
  std::mt19937_64 random(61);
  for (const Type& type : kTypes) {
    const Relation* relations = type.floating ? kFloatRelations : kIntegerRelations;
    const size_t count = type.floating ? std::size(kFloatRelations) : std::size(kIntegerRelations);
    for (size_t k = 0; k < count; ++k) {
      for (bool exec_too : {false, true}) {
        std::string name = exec_too ? "v_cmpx_" : "v_cmp_";
        name.append(relations[k].name).append("_").append(type.name);
        SCOPED_TRACE(name);
        TestWave t;
        const Instruction i = make(op_named(name), {sgpr(40, 2)}, {vgpr(1, type.dwords), vgpr(3, type.dwords)});
        for (int round = 0; round < 6; ++round) {
          fill_compare_sources(t, random);
          const uint64_t exec = round ? random() : 0;
          t.wave.set_exec(exec);
          t.wave.set_sgpr64(40, ~0ull);
          ASSERT_TRUE(t.run(i));
          uint64_t expected = 0;
          for (unsigned l = 0; l < kLanes; ++l) {
            const uint64_t a = type.dwords == 2 ? t.get64(1, l) : t.lane(1)[l],
                           b = type.dwords == 2 ? t.get64(3, l) : t.lane(3)[l];
            expected |= static_cast<uint64_t>((relations[k].holds & type.order_of(a, b)) != 0) << l;
          }
          ASSERT_EQ(expected & exec, t.wave.sgpr64(40));
          ASSERT_EQ(exec_too ? expected & exec : exec, t.wave.exec());
        }
      }
    }
  }
}

TEST(VectorCompare, SourceModifiersAndDenormalFlushingApply) {
  TestWave t;
  t.fill(1, fbits(-2));
  t.fill(2, fbits(2));
  ASSERT_TRUE(t.run(make(Op::v_cmp_eq_f32, {sgpr(40, 2)}, {absolute(vgpr(1)), vgpr(2)})));
  EXPECT_EQ(~0ull, t.wave.sgpr64(40));
  ASSERT_TRUE(t.run(make(Op::v_cmp_eq_f32, {sgpr(40, 2)}, {negated(vgpr(1)), negated(vgpr(2))})));
  EXPECT_EQ(0u, t.wave.sgpr64(40));
  t.fill(1, 5);
  ASSERT_TRUE(t.run(make(Op::v_cmp_gt_f32, {sgpr(40, 2)}, {vgpr(1), constant(0)})));
  EXPECT_EQ(~0ull, t.wave.sgpr64(40));
  t.wave.mode.denorm_f32 = 2;  // inputs flushed
  ASSERT_TRUE(t.run(make(Op::v_cmp_gt_f32, {sgpr(40, 2)}, {vgpr(1), constant(0)})));
  EXPECT_EQ(0u, t.wave.sgpr64(40));
}

TEST(VectorCompare, ClassesAreTheTenOfTheIsa) {
  struct Class {
    uint64_t f16, f32, f64;
  };
  const Class classes[] = {{0x7d00, 0x7f900000, 0x7ff4000000000000}, {0x7e00, 0x7fc00000, 0x7ff8000000000000},
                           {0xfc00, 0xff800000, 0xfff0000000000000}, {0xbc00, 0xbf800000, 0xbff0000000000000},
                           {0x8001, 0x80000001, 0x8000000000000001}, {0x8000, 0x80000000, 0x8000000000000000},
                           {0x0000, 0x00000000, 0x0000000000000000}, {0x03ff, 0x007fffff, 0x000fffffffffffff},
                           {0x0400, 0x00800000, 0x0010000000000000}, {0x7c00, 0x7f800000, 0x7ff0000000000000}};
  TestWave t;
  for (unsigned k = 0; k < 10; ++k) {
    for (unsigned bit = 0; bit < 10; ++bit) {
      const auto check = [&](Op op, Op exec_op, Operand a, uint64_t value) {
        t.fill64(1, value);
        t.wave.set_exec(0x0f);
        ASSERT_TRUE(t.run(make(op, {sgpr(40, 2)}, {a, constant(1u << bit)})));
        EXPECT_EQ(k == bit ? 0x0fu : 0u, t.wave.sgpr64(40)) << k << ' ' << bit;
        ASSERT_TRUE(t.run(make(exec_op, {sgpr(42, 2)}, {a, constant(1u << bit)})));
        EXPECT_EQ(k == bit ? 0x0fu : 0u, t.wave.exec());
      };
      check(Op::v_cmp_class_f16, Op::v_cmpx_class_f16, vgpr(1), classes[k].f16 | 0x7e000000);
      check(Op::v_cmp_class_f32, Op::v_cmpx_class_f32, vgpr(1), classes[k].f32);
      check(Op::v_cmp_class_f64, Op::v_cmpx_class_f64, vgpr(1, 2), classes[k].f64);
    }
  }
  // Modifiers change the sign before the class is taken.
  t.wave.set_exec(~0ull);
  t.fill(1, 0x80000000);
  ASSERT_TRUE(t.run(make(Op::v_cmp_class_f32, {sgpr(40, 2)}, {absolute(vgpr(1)), constant(1u << 6)})));
  EXPECT_EQ(~0ull, t.wave.sgpr64(40));
}

}  // namespace
}  // namespace kernloop::softgpu::vector
