#include "softgpu/engine/code/waiting_run.h"

#include <bitset>
#include <span>
#include <string_view>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

namespace {

// Scalar, vector and accumulation registers.
constexpr unsigned kSgprs = 128, kVgprs = 256;
using RegisterSet = std::bitset<kSgprs + 2 * kVgprs>;

RegisterSet registers_of(std::span<const Operand> operands) {
  RegisterSet set;
  for (const Operand& operand : operands) {
    unsigned first = operand.index;
    if (operand.kind == Operand::Kind::kVgpr)
      first += kSgprs;
    else if (operand.kind == Operand::Kind::kAgpr)
      first += kSgprs + kVgprs;
    else if (operand.kind != Operand::Kind::kSgpr)
      continue;
    for (unsigned k = 0; k < operand.dwords && first + k < set.size(); ++k) set.set(first + k);
  }
  return set;
}

RegisterSet written_by(const DecodedInstruction& instruction) {
  return registers_of(std::span(instruction.dst, instruction.dst_count));
}

RegisterSet read_by(const DecodedInstruction& instruction) {
  return registers_of(std::span(instruction.src, instruction.src_count));
}

// Masks of the continuing lanes are passed from round to round. These operations count nothing.
bool only_masks(Op op) {
  switch (op) {
    case Op::s_and_b32:
    case Op::s_and_b64:
    case Op::s_or_b32:
    case Op::s_or_b64:
    case Op::s_andn2_b32:
    case Op::s_andn2_b64:
      return true;
    default:
      return false;
  }
}

// A swap that finds the value it writes changes nothing.
bool only_looks(const DecodedInstruction& instruction) {
  if (instruction.dst_count == 0) return false;
  if (instruction.counted_as == InstructionClass::kSmem) return true;
  const std::string_view name = op_name(instruction.op);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return has("load") || has("ds_read") || has("swap") || has("ds_cmpst") || has("ds_wrxchg") || has("ds_storexchg");
}

bool comes_back(const CodeRun& run) {
  const DecodedInstruction& last = *run.steps.back().instruction;
  return facts_of(last.op).branch != BranchCondition::kNone &&
         last.address + last.size_bytes + int64_t{last.simm16} * 4 == run.steps.front().instruction->address;
}

}  // namespace

bool is_waiting(const CodeRun& run) {
  if (!comes_back(run)) return false;
  bool looks = false;
  RegisterSet written;
  for (const CodeRun::Step& step : run.steps) {
    written |= written_by(*step.instruction);
    if (!accesses_memory(*step.instruction)) continue;
    if (!only_looks(*step.instruction)) return false;
    looks = true;
  }
  if (!looks) return false;
  RegisterSet known;
  for (const CodeRun::Step& step : run.steps) {
    const RegisterSet handed_on = read_by(*step.instruction) & written & ~known;
    if (handed_on.any() && !only_masks(step.instruction->op)) return false;
    known |= written_by(*step.instruction);
  }
  return true;
}

}  // namespace kernloop::softgpu
