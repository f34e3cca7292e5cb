// Operations that move values between lanes and scalar registers, or depend on the lane's number.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Kind = Operand::Kind;

bool is_modified(const Instruction& instruction) {
  if (instruction.is_sdwa || instruction.is_dpp || instruction.clamp || instruction.omod || instruction.op_sel)
    return true;
  for (unsigned k = 0; k < instruction.src_count; ++k) {
    const Operand& operand = instruction.src[k];
    if (operand.negate || operand.absolute || operand.sign_extend) return true;
  }
  return false;
}

// The register file a lane is read from or written to; nullptr for scalars.
VectorRegister* file_of(const Wave& wave, const Operand& operand) {
  return operand.kind == Kind::kAgpr ? wave.agpr : wave.vgpr;
}
bool is_vector(const Operand& operand) {
  return operand.kind == Kind::kVgpr || operand.kind == Kind::kAgpr;
}

// Without an active lane it reads lane 0.
void readfirstlane(Wave& wave, const Instruction& instruction) {
  const Operand& from = instruction.src[0];
  const uint64_t exec = wave.exec();
  const unsigned lane = exec ? static_cast<unsigned>(__builtin_ctzll(exec)) : 0;
  wave.sgpr[instruction.dst[0].index] = file_of(wave, from)[from.index][lane];
}

// EXEC plays no part in the next two.
void readlane(Wave& wave, const Instruction& instruction) {
  const Operand& from = instruction.src[0];
  const unsigned lane = static_cast<uint32_t>(scalar_value(wave, instruction.src[1])) % kLanes;
  wave.sgpr[instruction.dst[0].index] = file_of(wave, from)[from.index][lane];
}
void writelane(Wave& wave, const Instruction& instruction) {
  const unsigned lane = static_cast<uint32_t>(scalar_value(wave, instruction.src[1])) % kLanes;
  wave.vgpr[instruction.dst[0].index][lane] = static_cast<uint32_t>(scalar_value(wave, instruction.src[0]));
}

void swap(Wave& wave, const Instruction& instruction) {
  uint32_t* a = wave.vgpr[instruction.dst[0].index];
  uint32_t* b = wave.vgpr[instruction.src[0].index];
  alignas(64) VectorRegister old;
  __builtin_memcpy(old, a, sizeof old);
  const uint64_t exec = wave.exec();
  write_planes(a, b, 1, exec);
  write_planes(b, old, 1, exec);
}

// v_accvgpr_read/write/mov: a masked move between or within the register files.
void accumulator_move(Wave& wave, const Instruction& instruction) {
  const Operand& to = instruction.dst[0];
  alignas(64) VectorRegister temporary;
  const uint32_t* from = broadcast(wave, instruction.src[0], SourceRule{}, temporary);
  write_planes(file_of(wave, to)[to.index], from, 1, wave.exec());
}

void nothing(Wave&, const Instruction&) {}

// The lanes below each lane: a bit a lane.
template <bool kHigh>
struct LanesBelow {
  alignas(64) VectorRegister mask;
  constexpr LanesBelow() : mask() {
    for (unsigned l = 0; l < kLanes; ++l) {
      const uint64_t below = (1ull << l) - 1;
      mask[l] = static_cast<uint32_t>(kHigh ? below >> 32 : below);
    }
  }
};

// Bits of src0 below this lane, counted, plus src1; `kHigh`: of the upper 32 lanes.
template <bool kHigh>
void masked_count(Wave& wave, const Instruction& instruction) {
  static constexpr LanesBelow<kHigh> kBelow;
  alignas(64) VectorRegister first, second, result;
  const uint32_t* a = broadcast(wave, instruction.src[0], SourceRule{}, first);
  const uint32_t* b = broadcast(wave, instruction.src[1], SourceRule{}, second);
  for (unsigned l = 0; l < kLanes; ++l) result[l] = count_bits(a[l] & kBelow.mask[l]) + b[l];
  write_planes(wave.vgpr[instruction.dst[0].index], result, 1, wave.exec());
}

bool reads(const Instruction& instruction, unsigned sources) {
  if (instruction.src_count != sources) return false;
  for (unsigned k = 0; k < sources; ++k) {
    if (!is_readable(instruction.src[k])) return false;
  }
  return true;
}

}  // namespace

ExecuteFn select_lane_access(const Instruction& instruction) {
  if (instruction.op == Op::v_nop) return nothing;
  if (instruction.op == Op::v_clrexcp) return nothing;  // exceptions are not modelled: there is nothing to clear
  if (is_modified(instruction) || instruction.dst_count < 1) return nullptr;
  const Operand &dst = instruction.dst[0], &src = instruction.src[0];
  const bool scalar_lane =
      instruction.src_count == 2 && instruction.src[1].kind != Kind::kVgpr && is_readable(instruction.src[1]);
  switch (instruction.op) {
    case Op::v_readfirstlane_b32:
      return dst.kind == Kind::kSgpr && is_vector(src) ? readfirstlane : nullptr;
    case Op::v_readlane_b32:
      return dst.kind == Kind::kSgpr && is_vector(src) && scalar_lane ? readlane : nullptr;
    case Op::v_writelane_b32:
      return dst.kind == Kind::kVgpr && src.kind != Kind::kVgpr && is_readable(src) && scalar_lane ? writelane
                                                                                                   : nullptr;
    case Op::v_swap_b32:
      return dst.kind == Kind::kVgpr && src.kind == Kind::kVgpr ? swap : nullptr;
    case Op::v_mbcnt_lo_u32_b32:
      return dst.kind == Kind::kVgpr && reads(instruction, 2) ? masked_count<false> : nullptr;
    case Op::v_mbcnt_hi_u32_b32:
      return dst.kind == Kind::kVgpr && reads(instruction, 2) ? masked_count<true> : nullptr;
    case Op::v_accvgpr_read_b32:
      return dst.kind == Kind::kVgpr && src.kind == Kind::kAgpr ? accumulator_move : nullptr;
    case Op::v_accvgpr_write_b32:
      return dst.kind == Kind::kAgpr && is_readable(src) ? accumulator_move : nullptr;
    case Op::v_accvgpr_mov_b32:
      return dst.kind == Kind::kAgpr && src.kind == Kind::kAgpr ? accumulator_move : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
