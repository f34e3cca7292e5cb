#include "softgpu/engine/execute/rdna2.h"

#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/wave/wave.h"
#include "softgpu/isa/opcode_table.h"

namespace kernloop::softgpu {

namespace {

using Kind = Operand::Kind;

constexpr unsigned kNull = 125, kExecHi = kExec + 1, kVccz = 251, kZero = 128;

bool is_mask(const Operand& operand) {
  return operand.type == OperandType::kMask;
}

bool is_null(const Operand& operand) {
  return operand.kind == Kind::kSgpr && operand.index == kNull;
}

Operand zero_like(const Operand& operand) {
  Operand zero = operand;
  zero.kind = Kind::kConstant;
  zero.index = kZero;
  zero.value = 0;
  return zero;
}

// Short forms of gfx1100 name the halves that they read and write; the long form's op_sel names the same ones.
bool name_halves_by_op_sel(Instruction& same) {
  constexpr unsigned kHigh = 5, kResult = 3;
  if (same.encoding != Encoding::kVop1 && same.encoding != Encoding::kVop2 && same.encoding != Encoding::kVopC)
    return false;
  unsigned halves = 0;
  for (unsigned k = 0; k < same.src_count; ++k) halves |= unsigned{same.src[k].sdwa_select == kHigh} << k;
  if (same.dst_count > 0) halves |= unsigned{same.dst[0].sdwa_select == kHigh} << kResult;
  if (halves == 0) return false;
  same.encoding = Encoding::kVop3;
  same.op_sel = static_cast<uint8_t>(halves);
  return true;
}

Instruction equivalent_of(const Instruction& instruction) {
  Instruction same = instruction;
  if (instruction.isa == Isa::kGfx1100) name_halves_by_op_sel(same);
  const OpFacts& facts = facts_of(instruction.op);
  if (facts.equivalent != Op::kInvalid) same.op = facts.equivalent;
  if (facts.has(kAccumulates)) {
    same.src[2] = instruction.dst[0];
    same.src_count = 3;
    if (same.op_sel & 8) same.op_sel |= 4;
  }
  for (unsigned k = 0; k < same.src_count; ++k) {
    if (is_null(same.src[k])) same.src[k] = zero_like(same.src[k]);
  }
  return same;
}

// gfx90a's functions read and write masks as pairs of registers.
bool pair_exists(const Operand& operand) {
  return !is_mask(operand) || operand.kind != Kind::kSgpr || operand.index < kExecHi;
}

bool is_written_whole(unsigned wave_size, const Operand& operand) {
  if (operand.kind != Kind::kSgpr || is_mask(operand)) return true;
  if (is_null(operand) && operand.dwords > 1) return false;             // the pair is null and EXEC_LO
  return wave_size == 64 || operand.index + operand.dwords <= kExecHi;  // EXEC_HI of a narrow wave stays zero
}

// STATUS has VCCZ, and HW_REG_HW_ID went.
bool reads_status_or_old_id(const Instruction& instruction) {
  const unsigned id = static_cast<unsigned>(instruction.simm16) & 0x3f;
  return instruction.op == Op::s_getreg_b32 && (id == 2 || id == 4);
}

bool is_expressible(unsigned wave_size, const Instruction& instruction) {
  for (unsigned k = 0; k < instruction.dst_count; ++k) {
    if (!pair_exists(instruction.dst[k]) || !is_written_whole(wave_size, instruction.dst[k])) return false;
  }
  for (unsigned k = 0; k < instruction.src_count; ++k) {
    const Operand& source = instruction.src[k];
    if (!pair_exists(source)) return false;
    // Reads both halves of VCC.
    if (wave_size == 32 && source.kind == Kind::kSpecial && source.index == kVccz) return false;
  }
  return !reads_status_or_old_id(instruction);
}

// The register behind the mask's one keeps its value: behind a narrow mask, and behind null, whose pair would reach
// into EXEC.
template <unsigned result>
void execute_with_narrow_mask(Wave& wave, const Instruction& instruction) {
  uint32_t& neighbour = wave.sgpr[instruction.dst[result].index + 1];
  const uint32_t kept = neighbour;
  execute_equivalent(wave, instruction);
  neighbour = kept;
}

// The half of the result that an instruction does not write stays as it was.
template <uint32_t written>
void execute_on_half(Wave& wave, const Instruction& instruction) {
  uint32_t* result = wave.vgpr[instruction.dst[0].index];
  alignas(64) VectorRegister old;
  __builtin_memcpy(old, result, sizeof old);
  execute_equivalent(wave, instruction);
  for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = (result[lane] & written) | (old[lane] & ~written);
}
constexpr uint32_t kLowBits = 0x0000ffff, kHighBits = 0xffff0000;

bool has_16_bit_result(const Instruction& instruction) {
  const OpcodeRow* row = find_row(instruction.isa, instruction.encoding, instruction.op);
  const OperandType type = row ? row->signature.dst[0].type : OperandType::kNone;
  return is_16_bit_integer(type) || type == OperandType::kF16 || type == OperandType::kB16;
}

// SDWA defines the rest itself, and op_sel writes the high half.
bool writes_low_half(const Instruction& instruction, unsigned op_sel) {
  if (!is_vector_alu(instruction.encoding) || instruction.encoding == Encoding::kVop3p) return false;
  return has_16_bit_result(instruction) && !instruction.is_sdwa && !(op_sel & 8);
}

struct Around {
  ExecuteFn execute;
  Keeps keeps;
};

Around function_around(const Instruction& instruction, const Instruction& same) {
  for (unsigned k = 0; k < instruction.dst_count; ++k) {
    const bool narrow = is_mask(instruction.dst[k]) && (instruction.dst[k].dwords == 1 || is_null(instruction.dst[k]));
    if (narrow) return {k == 0 ? execute_with_narrow_mask<0> : execute_with_narrow_mask<1>, Keeps::kMaskNeighbour};
  }
  const OpFacts& facts = facts_of(instruction.op);
  if (facts.has(kHighHalf)) return {execute_on_half<kHighBits>, Keeps::kOther};
  if (facts.has(kLowHalf) || writes_low_half(instruction, same.op_sel))
    return {execute_on_half<kLowBits>, Keeps::kHighHalf};
  return {execute_equivalent, Keeps::kNothing};
}

}  // namespace

ExecuteFn select_rdna2(unsigned wave_size, DecodedInstruction& instruction) {
  if (!is_expressible(wave_size, instruction)) return nullptr;
  if (ExecuteFn scalar = select_rdna2_scalar(wave_size, instruction)) return scalar;
  if (ExecuteFn lanes = select_rdna2_lanes(wave_size, instruction)) return lanes;
  Instruction same = equivalent_of(instruction);
  same.execute = select_by_encoding(same);
  if (!same.execute) return nullptr;
  const Around around = function_around(instruction, same);
  const bool has_null = [&] {
    for (unsigned k = 0; k < instruction.src_count; ++k) {
      if (is_null(instruction.src[k])) return true;
    }
    return false;
  }();
  const bool is_itself = same.op == instruction.op && same.encoding == instruction.encoding;
  if (around.keeps == Keeps::kNothing && is_itself && !has_null) return same.execute;
  instruction.equivalent = std::make_shared<const Instruction>(same);
  instruction.keeps = around.keeps;
  return around.execute;
}

}  // namespace kernloop::softgpu
