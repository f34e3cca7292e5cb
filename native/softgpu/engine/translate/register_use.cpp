#include "softgpu/engine/translate/register_use.h"

#include <algorithm>
#include <string_view>

#include "softgpu/engine/code/code_run.h"
#include "softgpu/engine/translate/lds_read.h"
#include "softgpu/engine/translate/segment.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

namespace {

using Kind = Operand::Kind;
using vector::RowShape;

void add(VectorRegisterSet& set, const Operand& operand, unsigned dwords) {
  if (operand.kind != Kind::kVgpr && operand.kind != Kind::kAgpr) return;
  const size_t first = operand.index + (operand.kind == Kind::kAgpr ? 256u : 0u);
  for (size_t k = first; k < std::min(first + dwords, set.size()); ++k) set.set(k);
}

bool has_relative_registers(Op op) {
  return op == Op::v_movrels_b32 || op == Op::v_movreld_b32;
}

RegisterUse::Way way_of(const DecodedInstruction& i) {
  using enum RegisterUse::Way;
  if (i.op == Op::s_endpgm) return kEnds;
  if (i.op == Op::s_branch) return kJumps;
  if (is_conditional_branch(i)) return i.encoding == Encoding::kSopP ? kBranches : kUnknown;
  if (i.encoding == Encoding::kInvalid || has_relative_registers(i.op)) return kUnknown;
  if (!ends_run(i) || i.encoding == Encoding::kSmem || facts_of(i.op).has(kPassesTime)) return kOn;
  switch (i.op) {
    case Op::s_barrier:
    case Op::s_sleep:
    case Op::s_trap:
    case Op::s_sendmsg:
    case Op::s_getpc_b64:
    case Op::s_setreg_b32:
    case Op::s_setreg_imm32_b32:
      return kOn;
    default:  // calls, VGPR indexing, barriers of a grid
      return kUnknown;
  }
}

RegisterUse::Exec exec_of(const DecodedInstruction& i) {
  using enum RegisterUse::Exec;
  if (!i.untracked) return kKept;
  const auto is_exec = [](const Operand& operand) { return operand.kind == Kind::kSgpr && operand.index == kExec; };
  const bool is_result = i.dst_count == 1 && is_exec(i.dst[0]);
  switch (i.op) {
    case Op::s_and_saveexec_b32:
    case Op::s_and_saveexec_b64:
      return kShrinks;
    case Op::s_or_saveexec_b32:
    case Op::s_or_saveexec_b64:
      return kGrows;
    case Op::s_and_b32:
    case Op::s_and_b64:
      return is_result && (is_exec(i.src[0]) || is_exec(i.src[1])) ? kShrinks : kOther;
    case Op::s_andn2_b32:
    case Op::s_andn2_b64:
      return is_result && is_exec(i.src[0]) ? kShrinks : kOther;
    case Op::s_or_b32:
    case Op::s_or_b64:
      return is_result && (is_exec(i.src[0]) || is_exec(i.src[1])) ? kGrows : kOther;
    default:
      return std::string_view(op_name(i.op)).starts_with("v_cmpx") ? kShrinks : kOther;
  }
}

void add_operation(RegisterUse& use, const LaneOperation& operation) {
  const Instruction& i = *operation.instruction;
  const vector::FormRule* const rule = operation.rule;
  for (unsigned k = 0; k < i.src_count; ++k)
    add(use.reads, i.src[k],
        std::max<unsigned>(i.src[k].dwords, rule && k < rule->sources ? rule->source[k].dwords : 1));
  if (!rule) return add(use.writes, i.dst[0], i.op == Op::v_pk_mov_b32 ? 2 : 1);
  if (rule->shape == RowShape::kComparison) return;
  if (rule->shape == RowShape::kPair) return add(use.writes, i.dst[0], 2);
  const bool is_whole = rule->shape == RowShape::kHalves || !keeps_other_half(operation);
  if (rule->accumulate || !is_whole) add(use.reads, i.dst[0], rule->result_dwords);
  if (is_whole) add(use.writes, i.dst[0], rule->result_dwords);
}

bool has(const DecodedInstruction& i, std::string_view part) {
  return std::string_view(op_name(i.op)).find(part) != std::string_view::npos;
}

// Accesses to memory, each lane with its own registers.
bool is_access_of_lanes(const DecodedInstruction& i) {
  switch (i.encoding) {
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch:
    case Encoding::kMubuf:
      return true;
    case Encoding::kDs:
      return !i.gds && !has(i, "permute") && !has(i, "swizzle");
    default:
      return false;
  }
}

bool loads_whole_registers(const DecodedInstruction& i) {
  if (i.encoding == Encoding::kDs) return lds_read_of(i).has_value();
  const OpFacts& facts = facts_of(i.op);
  return i.dst_count == 1 && has(i, "_load_") && !has(i, "d16") && !has(i, "format") && !facts.has(kLowHalf) &&
         !facts.has(kHighHalf) && !i.tfe && !i.lds;
}

}  // namespace

RegisterUse register_use_of(const DecodedInstruction& instruction) {
  RegisterUse use;
  use.way = way_of(instruction);
  if (use.way == RegisterUse::Way::kUnknown) return use;
  use.exec = exec_of(instruction);
  switch (instruction.encoding) {
    case Encoding::kSop1:
    case Encoding::kSop2:
    case Encoding::kSopC:
    case Encoding::kSopK:
    case Encoding::kSopP:
    case Encoding::kSmem:
      return use;
    default:
      break;
  }
  if (const std::vector<LaneOperation> operations = lane_operations_of(instruction); !operations.empty()) {
    for (const LaneOperation& operation : operations) add_operation(use, operation);
    return use;
  }
  const bool is_access = is_access_of_lanes(instruction), is_load = is_access && loads_whole_registers(instruction);
  use.crosses_lanes = !is_access;
  for (unsigned k = 0; k < instruction.src_count; ++k) add(use.reads, instruction.src[k], instruction.src[k].dwords);
  for (unsigned k = 0; k < instruction.dst_count; ++k)
    add(is_load ? use.writes : use.reads, instruction.dst[k], instruction.dst[k].dwords);
  return use;
}

}  // namespace kernloop::softgpu
