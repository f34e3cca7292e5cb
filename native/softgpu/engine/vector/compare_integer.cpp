#include "softgpu/engine/vector/compare.h"
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

#define KERNLOOP_INTEGER_COMPARE(type, tag, name, expression)                                     \
  compare<Op::v_cmp_##name##_##type, tag>([](tag::Value a, tag::Value b) { return expression; }), \
      compare_exec<Op::v_cmpx_##name##_##type, tag>([](tag::Value a, tag::Value b) { return expression; })

#define KERNLOOP_INTEGER_COMPARES(type, tag)                                                                         \
  KERNLOOP_INTEGER_COMPARE(type, tag, f, ((void)a, (void)b, false)), KERNLOOP_INTEGER_COMPARE(type, tag, lt, a < b), \
      KERNLOOP_INTEGER_COMPARE(type, tag, eq, a == b), KERNLOOP_INTEGER_COMPARE(type, tag, le, a <= b),              \
      KERNLOOP_INTEGER_COMPARE(type, tag, gt, a > b), KERNLOOP_INTEGER_COMPARE(type, tag, ne, a != b),               \
      KERNLOOP_INTEGER_COMPARE(type, tag, ge, a >= b),                                                               \
      KERNLOOP_INTEGER_COMPARE(type, tag, t, ((void)a, (void)b, true))

constexpr CompareRow kRows[] = {
    KERNLOOP_INTEGER_COMPARES(i16, I16), KERNLOOP_INTEGER_COMPARES(u16, U16), KERNLOOP_INTEGER_COMPARES(i32, I32),
    KERNLOOP_INTEGER_COMPARES(u32, U32), KERNLOOP_INTEGER_COMPARES(i64, I64), KERNLOOP_INTEGER_COMPARES(u64, U64),
};

}  // namespace

ExecuteFn select_compare(std::span<const CompareRow> rows, const Instruction& instruction) {
  for (const CompareRow& row : rows) {
    if (row.op != instruction.op) continue;
    if (!sources_fit(row.rule, instruction)) return nullptr;
    if (instruction.dst_count < 1 || instruction.dst[0].kind != Operand::Kind::kSgpr) return nullptr;
    // The bit of a lane that DPP does not write is undocumented. Clamp asks for exceptions on quiet NaNs, which are not
    // modelled.
    if (instruction.is_dpp &&
        !(instruction.row_mask == 0xf && instruction.bank_mask == 0xf && instruction.bound_ctrl)) {
      return nullptr;
    }
    if (instruction.omod || instruction.clamp || (instruction.op_sel & 8)) return nullptr;
    if (has_source_modifiers(row.rule, instruction)) return row.general;
    return sources_are_lean(row.rule, instruction) ? row.lean : row.plain;
  }
  return nullptr;
}

const FormRule* rule_in(std::span<const CompareRow> rows, Op op) {
  for (const CompareRow& row : rows)
    if (row.op == op) return &row.rule;
  return nullptr;
}

const FormRule* integer_comparison_rule(Op op) {
  return rule_in(kRows, op);
}

ExecuteFn select_compare_integer(const Instruction& instruction) {
  return select_compare(kRows, instruction);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
