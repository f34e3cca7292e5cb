#include <array>
#include <iterator>

#include "softgpu/engine/vector/rows.h"
#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Index = std::array<const Row*, static_cast<size_t>(Op::kCount)>;

const Index& index_of_rows() {
  static const Index index = [] {
    Index made{};
    for (RowTable table : {integer_rows(), integer64_rows(), byte_rows(), carry_rows(), float32_rows(), float64_rows(),
                           float16_rows(), min_max_rows(), convert_rows(), transcendental_rows(), division_rows()}) {
      for (const Row& row : table) made[static_cast<size_t>(row.op)] = &row;
    }
    return made;
  }();
  return index;
}

bool is_mask_source(const Operand& operand) {
  return operand.kind == Operand::Kind::kSgpr || operand.kind == Operand::Kind::kConstant;
}

}  // namespace

bool sources_fit(const FormRule& rule, const Instruction& instruction) {
  const unsigned explicit_sources = rule.explicit_sources();
  if (instruction.src_count != explicit_sources) return false;
  for (unsigned k = 0; k < explicit_sources; ++k) {
    const SourceRule& source = rule.source[k];
    const Operand& operand = instruction.src[k];
    if (source.kind == SourceRule::kMask ? !is_mask_source(operand) : !is_readable(operand)) return false;
    if ((operand.negate || operand.absolute) && !source.sign_modifiers) return false;
    if (operand.sign_extend && (source.sign_modifiers || source.dwords != 1 || !instruction.is_sdwa)) return false;
    if (instruction.is_sdwa && source.kind == SourceRule::kValue && source.dwords != 1) return false;
    if (((instruction.op_sel >> k) & 1) && source.bits != 16) return false;
  }
  if ((instruction.op_sel & ~8u) >> explicit_sources) return false;
  if (!instruction.is_dpp) return true;
  return is_known_dpp(instruction) && instruction.src[0].kind == Operand::Kind::kVgpr;
}

bool has_moves(const Instruction& instruction) {
  return instruction.is_sdwa || instruction.is_dpp || instruction.op_sel;
}

bool has_source_modifiers(const FormRule& rule, const Instruction& instruction) {
  if (has_moves(instruction)) return true;
  for (unsigned k = 0; k < rule.explicit_sources(); ++k) {
    if (instruction.src[k].negate || instruction.src[k].absolute) return true;
  }
  return false;
}

bool sources_are_lean(const FormRule& rule, const Instruction& instruction) {
  for (unsigned k = 0; k < rule.explicit_sources(); ++k) {
    const Operand& operand = instruction.src[k];
    const bool is_dword = rule.source[k].dwords == 1 &&
                          (operand.kind == Operand::Kind::kSgpr || operand.kind == Operand::Kind::kConstant);
    if (rule.source[k].kind == SourceRule::kValue && operand.kind != Operand::Kind::kVgpr && !is_dword) return false;
  }
  return true;
}

// The lean form, or nullptr if there is none for the signs of the sources.
ExecuteFn select_lean(const Row& row, const Instruction& instruction) {
  if (!row.lean || !sources_are_lean(row.rule, instruction)) return nullptr;
  ExecuteFn chosen = row.lean;
  for (unsigned k = 0; k < row.rule.explicit_sources(); ++k) {
    if (instruction.src[k].absolute) return nullptr;
    if (!instruction.src[k].negate) continue;
    if (chosen != row.lean || k >= std::size(row.lean_negated)) return nullptr;
    chosen = row.lean_negated[k];
    if (!chosen) return nullptr;
  }
  return chosen;
}

ExecuteFn select_row(const Row& row, const Instruction& instruction) {
  const FormRule& rule = row.rule;
  if (!sources_fit(rule, instruction)) return nullptr;
  if (instruction.dst_count < 1 || instruction.dst[0].kind != Operand::Kind::kVgpr) return nullptr;
  if (rule.has_bit && (instruction.dst_count != 2 || instruction.dst[1].kind != Operand::Kind::kSgpr)) return nullptr;
  if ((instruction.op_sel & 8) && (rule.result_bits != 16 || rule.result_dwords != 1)) return nullptr;
  if (instruction.is_sdwa && rule.result_dwords != 1 && instruction.dst_sel != 6) return nullptr;
  // The bit of a lane that DPP does not write is undocumented.
  if (instruction.is_dpp && rule.has_bit &&
      !(instruction.row_mask == 0xf && instruction.bank_mask == 0xf && instruction.bound_ctrl)) {
    return nullptr;
  }
  if (instruction.omod && !rule.float_result) return nullptr;
  const bool modified = has_source_modifiers(rule, instruction);
  if ((row.flags & kNoModifiers) && (modified || instruction.omod || instruction.clamp)) return nullptr;
  if (instruction.clamp && !rule.float_result) return row.clamped;
  // Signs of sources are no matter for the plain form.
  if (has_moves(instruction) || instruction.omod || instruction.clamp) return row.general;
  const ExecuteFn lean = select_lean(row, instruction);
  return lean ? lean : row.plain;
}

const FormRule* rule_of(Op op) {
  if (const Row* row = index_of_rows()[static_cast<size_t>(op)]) return &row->rule;
  for (auto* find : {integer_comparison_rule, float_comparison_rule, packed_rule}) {
    if (const FormRule* rule = find(op)) return rule;
  }
  return nullptr;
}

ExecuteFn select(const Instruction& instruction) {
  if (const Row* row = index_of_rows()[static_cast<size_t>(instruction.op)]) return select_row(*row, instruction);
  for (auto* selector : {select_compare_integer, select_compare_float, select_packed, select_mixed, select_lane_access,
                         select_mfma, select_smfmac, select_wmma}) {
    if (ExecuteFn execute = selector(instruction)) return execute;
  }
  return nullptr;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
