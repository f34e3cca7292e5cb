// Access to operands: broadcast of scalars, source modifiers, SDWA and DPP before an operation; result modifiers after
// it.
#pragma once

#include "softgpu/engine/vector/form_rule.h"
#include "softgpu/engine/vector/lanes.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

inline constexpr Operand kVccOperand = [] {
  Operand operand;
  operand.kind = Operand::Kind::kSgpr;
  operand.dwords = 2;
  operand.index = kVcc;
  return operand;
}();
// Source k, named by the instruction or not.
inline const Operand& source_operand(const FormRule& rule, const Instruction& instruction, unsigned k) {
  if (k < rule.explicit_sources()) return instruction.src[k];
  return rule.accumulate ? instruction.dst[0] : kVccOperand;
}

inline constexpr unsigned kMaxPlanes = 4;

// Temporaries of an instruction with modifiers.
struct General {
  const uint32_t* src[4];
  uint64_t write_mask;  // lanes to write: EXEC, less what DPP disables
  alignas(64) uint32_t source[4][kMaxPlanes * kLanes];
  alignas(64) uint32_t result[(kMaxPlanes + 1) * kLanes];
};

// The value's planes with the same dwords in every lane.
const uint32_t* broadcast_scalar(const Wave& wave, const Operand& operand, unsigned dwords, uint32_t* temporary);

// The operand's planes: `temporary` filled with a scalar or constant in every lane, a mask's bits, or the register
// itself.
inline const uint32_t* broadcast(const Wave& wave, const Operand& operand, const SourceRule& rule,
                                 uint32_t* temporary) {
  if (rule.kind == SourceRule::kMask) {
    expand_mask(temporary, operand.kind == Operand::Kind::kSgpr ? wave.sgpr64(operand.index) : operand.value);
    return temporary;
  }
  if (operand.kind == Operand::Kind::kVgpr) [[likely]]
    return wave.vgpr[operand.index];
  if (rule.dwords == 1 && (operand.kind == Operand::Kind::kSgpr || operand.kind == Operand::Kind::kConstant)) {
    const bool constant = operand.kind == Operand::Kind::kConstant;
    fill_plane(temporary, constant ? static_cast<uint32_t>(operand.value) : wave.sgpr[operand.index]);
    return temporary;
  }
  return broadcast_scalar(wave, operand, rule.dwords, temporary);
}

// The planes with the operand's abs and neg applied; `temporary` may be the planes themselves.
const uint32_t* with_sign(const uint32_t* planes, const Operand& operand, const SourceRule& rule, uint32_t* temporary);

// The scalar value of an operand that is no vector register.
uint64_t scalar_value(const Wave& wave, const Operand& operand);

void prepare_sources(const Wave& wave, const Instruction& instruction, const FormRule& rule, General& general);
void finish_result(Wave& wave, const Instruction& instruction, const FormRule& rule, General& general);

// True when a scalar_value() of the operand can be had.
bool is_readable(const Operand& operand);
// True if gfx90a has the instruction's DPP control.
bool is_known_dpp(const Instruction& instruction);
// Effect of DPP on the lanes under an EXEC mask.
struct DppLanes {
  const uint8_t* source;  // the lane that each lane reads
  uint64_t valid;         // lanes whose source exists and is active; others read 0
  uint64_t write;         // lanes that may be written
};
DppLanes dpp_lanes(const Instruction& instruction, uint64_t exec);

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
