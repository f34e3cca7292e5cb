#include "softgpu/engine/execute/instruction_select.h"

#include <algorithm>

#include "softgpu/engine/execute/float8_result.h"
#include "softgpu/engine/execute/rdna2.h"
#include "softgpu/engine/execute/rdna3.h"
#include "softgpu/engine/wave/wave.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

namespace {

// Register tuples that run past the end of their file: no such registers exist, so nothing may be executed on them.
bool is_within_registers(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kSgpr:
      return operand.index + operand.dwords <= 128;
    case Operand::Kind::kVgpr:
    case Operand::Kind::kAgpr:
      return operand.index + operand.dwords <= 256;
    default:
      return true;
  }
}

bool has_valid_registers(const Instruction& instruction) {
  return std::all_of(instruction.dst, instruction.dst + instruction.dst_count, is_within_registers) &&
         std::all_of(instruction.src, instruction.src + instruction.src_count, is_within_registers);
}

void execute_in_default_mode(Wave& wave, const Instruction& instruction) {
  if (wave.mode.round_f32 != 0 || wave.mode.round_f64_f16 != 0)
    raise_unsupported("conversion to integers in a MODE other than to nearest");
  select_vector(instruction)(wave, instruction);
}

ExecuteFn select_vector_alu(const Instruction& instruction) {
  if (const ExecuteFn narrow = select_float8_result(instruction)) return narrow;
  const ExecuteFn execute = select_vector(instruction);
  return execute != nullptr && facts_of(instruction.op).has(kNearestOnly) ? execute_in_default_mode : execute;
}

}  // namespace

bool is_vector_alu(Encoding encoding) {
  return encoding == Encoding::kVop1 || encoding == Encoding::kVop2 || encoding == Encoding::kVopC ||
         encoding == Encoding::kVop3 || encoding == Encoding::kVop3p || encoding == Encoding::kVopd;
}

bool is_vector_memory(Encoding encoding) {
  return encoding == Encoding::kDs || encoding == Encoding::kFlat || encoding == Encoding::kGlobal ||
         encoding == Encoding::kScratch || encoding == Encoding::kMubuf || encoding == Encoding::kMtbuf;
}

ExecuteFn select_by_encoding(const Instruction& instruction) {
  if (!has_valid_registers(instruction)) return nullptr;
  if (is_vector_alu(instruction.encoding)) return select_vector_alu(instruction);
  if (is_vector_memory(instruction.encoding)) return select_memory(instruction);
  return select_scalar(instruction);
}

ExecuteFn select_for(Target target, DecodedInstruction& instruction) {
  if (target.isa == Isa::kGfx1100) return select_rdna3(target.wave_size, instruction);
  if (target.isa == Isa::kGfx1030) return select_rdna2(target.wave_size, instruction);
  const Op same_op = facts_of(instruction.op).equivalent;
  if (target.isa != Isa::kGfx942 || same_op == Op::kInvalid) return select_by_encoding(instruction);
  Instruction same = instruction;
  same.op = same_op;
  same.execute = select_by_encoding(same);
  if (!same.execute) return nullptr;
  instruction.equivalent = std::make_shared<const Instruction>(same);
  return execute_equivalent;
}

void execute_equivalent(Wave& wave, const Instruction& instruction) {
  const Instruction& same = *static_cast<const DecodedInstruction&>(instruction).equivalent;
  same.execute(wave, same);
}

}  // namespace kernloop::softgpu
