#include "softgpu/engine/execute/rdna3.h"

#include <cstring>

#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/execute/rdna2.h"
#include "softgpu/engine/wave/wave.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/isa/opcode_table.h"

namespace kernloop::softgpu {

namespace {

using Kind = Operand::Kind;

// Executes `same` in place of an instruction, through a function of this file.
ExecuteFn keep_equivalent(DecodedInstruction& instruction, Instruction same, ExecuteFn around) {
  if (!same.execute) return nullptr;
  instruction.equivalent = std::make_shared<const Instruction>(same);
  if (around != execute_equivalent) instruction.keeps = Keeps::kOther;
  return around;
}

// VOPD

// One of the two operations as an instruction of its own.
Instruction half_of(const Instruction& dual, unsigned which) {
  Instruction half = dual;
  half.encoding = Encoding::kVop2;
  half.op = which == 0 ? dual.op : dual.second;
  half.second = Op::kInvalid;
  half.dst_count = 1;
  half.dst[0] = dual.dst[which];
  half.src[0] = dual.src[2 * which];
  half.src[1] = dual.src[2 * which + 1];
  half.src_count = 2;
  Operand k;
  k.kind = Kind::kConstant;
  k.type = OperandType::kF32;
  k.is_literal = true;
  k.literal = dual.literal_dword;
  k.value = dual.literal_dword;
  switch (half.op) {
    case Op::v_mov_b32:
      half.encoding = Encoding::kVop1;
      half.src_count = 1;
      break;
    case Op::v_fmaak_f32:
      half.src[2] = k;
      half.src_count = 3;
      break;
    case Op::v_fmamk_f32:
      half.src[2] = half.src[1];
      half.src[1] = k;
      half.src_count = 3;
      break;
    case Op::v_cndmask_b32:
      half.src[2] = Operand{};
      half.src[2].kind = Kind::kSgpr;
      half.src[2].type = OperandType::kMask;
      half.src[2].index = kVcc;
      half.src_count = 3;
      break;
    default:
      break;
  }
  return half;
}

bool reads(const Instruction& instruction, const Operand& result) {
  for (unsigned k = 0; k < instruction.src_count; ++k) {
    if (instruction.src[k].kind == Kind::kVgpr && instruction.src[k].index == result.index) return true;
  }
  return false;
}

void execute_in_order(Wave& wave, const Instruction& instruction) {
  const auto& dual =
      static_cast<const DualInstruction&>(*static_cast<const DecodedInstruction&>(instruction).equivalent);
  dual.first.execute(wave, dual.first);
  dual.second.execute(wave, dual.second);
}

// Each reads the other's result: the first result is held back until the second has read.
void execute_crossed(Wave& wave, const Instruction& instruction) {
  const auto& dual =
      static_cast<const DualInstruction&>(*static_cast<const DecodedInstruction&>(instruction).equivalent);
  uint32_t* result = wave.vgpr[dual.first.dst[0].index];
  alignas(64) VectorRegister old, next;
  std::memcpy(old, result, sizeof old);
  dual.first.execute(wave, dual.first);
  std::memcpy(next, result, sizeof next);
  std::memcpy(result, old, sizeof old);
  dual.second.execute(wave, dual.second);
  std::memcpy(result, next, sizeof next);
}

ExecuteFn select_dual(unsigned wave_size, DecodedInstruction& instruction) {
  auto dual = std::make_shared<DualInstruction>();
  static_cast<Instruction&>(dual->first) = half_of(instruction, 0);
  static_cast<Instruction&>(dual->second) = half_of(instruction, 1);
  if (reads(dual->second, dual->first.dst[0]) && !reads(dual->first, dual->second.dst[0]))
    std::swap(static_cast<Instruction&>(dual->first), static_cast<Instruction&>(dual->second));
  for (DecodedInstruction* half : {&dual->first, &dual->second}) {
    half->execute = select_rdna2(wave_size, *half);
    if (!half->execute) return nullptr;
  }
  const bool crossed = reads(dual->second, dual->first.dst[0]);
  instruction.equivalent = std::move(dual);
  return crossed ? execute_crossed : execute_in_order;
}

// WMMA

// Lanes from 16 on hold the same as the first 16; the lane from which hardware takes an element is not documented.
void require_copies(const Wave& wave, const Operand& matrix, unsigned lanes, const char* name) {
  for (unsigned k = 0; k < matrix.dwords; ++k) {
    const uint32_t* plane = wave.vgpr[matrix.index + k];
    for (unsigned lane = 16; lane < lanes; ++lane) {
      if (plane[lane] == plane[lane % 16]) continue;
      raise_unsupported("matrix multiply-add with a matrix " + std::string(name) + " of which lane " +
                            std::to_string(lane) + " does not hold what lane " + std::to_string(lane % 16) +
                            " does (v" + std::to_string(matrix.index + k) + ")",
                        static_cast<int32_t>(lane));
    }
  }
}

void multiply_matrices(Wave& wave, const Instruction& instruction) {
  const unsigned lanes = instruction.dst[0].dwords == 8 ? 32 : 64;
  if (wave.exec() != ~uint64_t{0} >> (64 - lanes))
    raise_unsupported("matrix multiply-add with inactive lanes: what they do to it is not documented");
  require_copies(wave, instruction.src[0], lanes, "A");
  require_copies(wave, instruction.src[1], lanes, "B");
  execute_equivalent(wave, instruction);
}

bool is_matrix(const Instruction& instruction) {
  return instruction.encoding == Encoding::kVop3p && (form_of(instruction.isa, instruction.op).row.flags & kWmma) != 0;
}

// The rest

// The new value comes first and the compared one second; before gfx11 it was the other way round.
Op compare_and_store_of_before(Op op) {
  switch (op) {
    case Op::ds_cmpstore_b32:
      return Op::ds_cmpst_b32;
    case Op::ds_cmpstore_f32:
      return Op::ds_cmpst_f32;
    case Op::ds_cmpstore_rtn_b32:
      return Op::ds_cmpst_rtn_b32;
    case Op::ds_cmpstore_rtn_f32:
      return Op::ds_cmpst_rtn_f32;
    case Op::ds_cmpstore_b64:
      return Op::ds_cmpst_b64;
    case Op::ds_cmpstore_f64:
      return Op::ds_cmpst_f64;
    case Op::ds_cmpstore_rtn_b64:
      return Op::ds_cmpst_rtn_b64;
    case Op::ds_cmpstore_rtn_f64:
      return Op::ds_cmpst_rtn_f64;
    default:
      return Op::kInvalid;
  }
}

ExecuteFn select_compare_and_store(DecodedInstruction& instruction, Op before) {
  Instruction same = instruction;
  same.op = before;
  std::swap(same.src[1], same.src[2]);
  same.execute = select_by_encoding(same);
  return keep_equivalent(instruction, same, execute_equivalent);
}

// Halves of registers change places; EXEC says in which lanes.
void swap_halves(Wave& wave, const Instruction& i) {
  const auto at = [](const Operand& operand) { return operand.sdwa_select == 5 ? 16u : 0u; };
  uint32_t *a = wave.vgpr[i.dst[0].index], *b = wave.vgpr[i.src[0].index];
  const unsigned at_a = at(i.dst[0]), at_b = at(i.src[0]);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    const uint32_t from_a = a[lane] >> at_a & 0xffff, from_b = b[lane] >> at_b & 0xffff;
    a[lane] = (a[lane] & ~(0xffffu << at_a)) | from_b << at_a;
    b[lane] = (b[lane] & ~(0xffffu << at_b)) | from_a << at_b;
  }
}

// Each half of a wave of 64 lanes reads the other one, inactive lanes too; EXEC masks the writes.
void exchange_halves_of_wave(Wave& wave, const Instruction& i) {
  alignas(64) VectorRegister source;
  std::memcpy(source, wave.vgpr[i.src[0].index], sizeof source);
  uint32_t* result = wave.vgpr[i.dst[0].index];
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    result[lane] = source[lane ^ 32];
  }
}

// Like s_memrealtime (scalar/memory.cpp).
void read_rdna_real_time(Wave& wave, const Instruction& i) {
  wave.set_sgpr64(i.dst[0].index, wave.clock.real_time(wave.instructions));
}

enum Message : int32_t { kInterrupt = 1, kDeallocVgprs = 3, kGetRealTime = 131 };

// A half of an operand that is no register: which bits it selects is undocumented. In v_permlane16, op_sel is FI and
// BOUND_CTRL.
bool selects_half_of_constant(const Instruction& i) {
  if (i.encoding != Encoding::kVop3 || i.op == Op::v_permlane16_b32 || i.op == Op::v_permlanex16_b32) return false;
  for (unsigned k = 0; k < i.src_count; ++k) {
    if ((i.op_sel >> k & 1) && i.src[k].kind == Kind::kConstant) return true;
  }
  return false;
}

}  // namespace

ExecuteFn select_rdna3(unsigned wave_size, DecodedInstruction& instruction) {
  if (instruction.encoding == Encoding::kVopd) return select_dual(wave_size, instruction);
  if (is_matrix(instruction)) {
    Instruction same = instruction;
    same.execute = select_by_encoding(same);
    return keep_equivalent(instruction, same, multiply_matrices);
  }
  if (const Op before = compare_and_store_of_before(instruction.op); before != Op::kInvalid)
    return select_compare_and_store(instruction, before);
  if (selects_half_of_constant(instruction)) return nullptr;
  switch (instruction.op) {
    case Op::s_delay_alu:
      return execute_nothing;
    case Op::s_sendmsg:
      return instruction.simm16 == kInterrupt || instruction.simm16 == kDeallocVgprs ? execute_nothing : nullptr;
    case Op::s_sendmsg_rtn_b64:
      return instruction.simm16 == kGetRealTime && instruction.dst[0].index < 124 ? read_rdna_real_time : nullptr;
    case Op::v_swap_b16:
      return swap_halves;
    case Op::v_permlane64_b32:
      return wave_size == 64 ? exchange_halves_of_wave : execute_nothing;
    default:
      return select_rdna2(wave_size, instruction);
  }
}

}  // namespace kernloop::softgpu
