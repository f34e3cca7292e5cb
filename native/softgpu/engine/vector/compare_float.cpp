#include "softgpu/engine/vector/compare.h"
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

// The class of a value as a bit: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7
// +denormal, 8 +normal, 9 +inf.
constexpr uint32_t class_bit(bool negative, bool nan, bool quiet, bool infinity, bool denormal, bool zero) {
  const uint32_t bit = nan        ? (quiet ? 1 : 0)
                       : infinity ? (negative ? 2 : 9)
                       : zero     ? (negative ? 5 : 6)
                       : denormal ? (negative ? 4 : 7)
                                  : (negative ? 3 : 8);
  return 1u << bit;
}
template <class Bits>
constexpr uint32_t class_of(Bits v, unsigned width, unsigned fraction_bits) {
  const Bits sign = Bits{1} << (width - 1), magnitude = v & (sign - 1), one = Bits{1} << fraction_bits;
  const Bits infinity = (sign - 1) & ~(one - 1);
  return class_bit((v & sign) != 0, magnitude > infinity, (magnitude & (one >> 1)) != 0, magnitude == infinity,
                   magnitude < one, magnitude == 0);
}

#define KERNLOOP_FLOAT_COMPARE(type, tag, name, expression)                                       \
  compare<Op::v_cmp_##name##_##type, tag>([](tag::Value a, tag::Value b) { return expression; }), \
      compare_exec<Op::v_cmpx_##name##_##type, tag>([](tag::Value a, tag::Value b) { return expression; })

// n… are negations, which hold for NaNs too.
#define KERNLOOP_FLOAT_COMPARES(type, tag)                                                                             \
  KERNLOOP_FLOAT_COMPARE(type, tag, f, ((void)a, (void)b, false)), KERNLOOP_FLOAT_COMPARE(type, tag, lt, a < b),       \
      KERNLOOP_FLOAT_COMPARE(type, tag, eq, a == b), KERNLOOP_FLOAT_COMPARE(type, tag, le, a <= b),                    \
      KERNLOOP_FLOAT_COMPARE(type, tag, gt, a > b), KERNLOOP_FLOAT_COMPARE(type, tag, lg, a<b || a> b),                \
      KERNLOOP_FLOAT_COMPARE(type, tag, ge, a >= b), KERNLOOP_FLOAT_COMPARE(type, tag, o, !is_nan(a) && !is_nan(b)),   \
      KERNLOOP_FLOAT_COMPARE(type, tag, u, is_nan(a) || is_nan(b)), KERNLOOP_FLOAT_COMPARE(type, tag, nge, !(a >= b)), \
      KERNLOOP_FLOAT_COMPARE(type, tag, nlg, !(a < b || a > b)), KERNLOOP_FLOAT_COMPARE(type, tag, ngt, !(a > b)),     \
      KERNLOOP_FLOAT_COMPARE(type, tag, nle, !(a <= b)), KERNLOOP_FLOAT_COMPARE(type, tag, neq, !(a == b)),            \
      KERNLOOP_FLOAT_COMPARE(type, tag, nlt, !(a < b)),                                                                \
      KERNLOOP_FLOAT_COMPARE(type, tag, tru, ((void)a, (void)b, true))

#define KERNLOOP_CLASS_COMPARE(op, a_tag, b_tag, expression)                                          \
  compare<Op::v_cmp_class_##op, a_tag, b_tag>([](a_tag::Value a, uint32_t b) { return expression; }), \
      compare_exec<Op::v_cmpx_class_##op, a_tag, b_tag>([](a_tag::Value a, uint32_t b) { return expression; })

// A half as its bits, with the modifiers of a float.
struct HalfBits : U16 {
  static constexpr Precision kPrecision = Precision::kF64F16;
};

constexpr CompareRow kRows[] = {
    KERNLOOP_FLOAT_COMPARES(f16, F16),
    KERNLOOP_FLOAT_COMPARES(f32, F32),
    KERNLOOP_FLOAT_COMPARES(f64, F64),
    KERNLOOP_CLASS_COMPARE(f16, HalfBits, U32, (class_of<uint32_t>(a, 16, 10) & b) != 0),
    KERNLOOP_CLASS_COMPARE(f32, F32, U32, (class_of<uint32_t>(bits(a), 32, 23) & b) != 0),
    KERNLOOP_CLASS_COMPARE(f64, F64, U32, (class_of<uint64_t>(bits(a), 64, 52) & b) != 0),
};

}  // namespace

const FormRule* float_comparison_rule(Op op) {
  return rule_in(kRows, op);
}

ExecuteFn select_compare_float(const Instruction& instruction) {
  return select_compare(kRows, instruction);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
