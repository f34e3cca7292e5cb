#include "softgpu/engine/instruction_select.h"

#include <algorithm>

#include "softgpu/engine/rdna2.h"
#include "softgpu/engine/wave.h"

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

}  // namespace

bool is_vector_alu(Encoding encoding) {
  return encoding == Encoding::kVop1 || encoding == Encoding::kVop2 || encoding == Encoding::kVopC ||
         encoding == Encoding::kVop3 || encoding == Encoding::kVop3p;
}

bool is_vector_memory(Encoding encoding) {
  return encoding == Encoding::kDs || encoding == Encoding::kFlat || encoding == Encoding::kGlobal ||
         encoding == Encoding::kScratch || encoding == Encoding::kMubuf || encoding == Encoding::kMtbuf;
}

ExecuteFn select_by_encoding(const Instruction& instruction) {
  if (!has_valid_registers(instruction)) return nullptr;
  if (is_vector_alu(instruction.encoding)) return select_vector(instruction);
  if (is_vector_memory(instruction.encoding)) return select_memory(instruction);
  return select_scalar(instruction);
}

ExecuteFn select_for(Target target, DecodedInstruction& instruction) {
  return target.isa == Isa::kGfx1030 ? select_rdna2(target.wave_size, instruction) : select_by_encoding(instruction);
}

}  // namespace kernloop::softgpu
