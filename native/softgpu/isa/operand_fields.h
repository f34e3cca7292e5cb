// Turns the register and constant codes of operand fields into operands. Every function refuses (false) codes that the
// encoding does not have: misaligned tuples, tuples that run off the register file, reserved codes.
#pragma once

#include <cstdint>

#include "softgpu/isa/instruction.h"
#include "softgpu/isa/signature.h"

namespace kernloop::softgpu {

// Codes of the 9-bit source field ("MI200 ISA" and "RDNA 2 ISA", tables of operands).
inline constexpr unsigned kCodeVcc = 106;
inline constexpr unsigned kFirstTtmp = 108;
inline constexpr unsigned kLastTtmp = 123;
inline constexpr unsigned kCodeM0 = 124;
inline constexpr unsigned kCodeNull = 125;  // gfx1030; gfx1100 swaps the codes of null and m0 (scalar_code)
inline constexpr unsigned kCodeExec = 126;
inline constexpr unsigned kCodeZero = 128;
inline constexpr unsigned kCodeDpp8 = 233;  // gfx1030, gfx1100
inline constexpr unsigned kCodeDpp8FetchInactive = 234;
inline constexpr unsigned kCodeSdwa = 249;
inline constexpr unsigned kCodeDpp = 250;
inline constexpr unsigned kCodeLiteral = 255;
inline constexpr unsigned kCodeVgpr0 = 256;

// The code of a field in the numbering that all targets share.
constexpr unsigned scalar_code(Isa isa, unsigned code) {
  const bool swapped = isa == Isa::kGfx1100 && (code == kCodeM0 || code == kCodeNull);
  return swapped ? kCodeM0 + kCodeNull - code : code;
}

bool sgpr_operand(Isa isa, unsigned code, OperandType type, Operand& operand);
bool vgpr_operand(Isa isa, unsigned index, OperandType type, Operand& operand);
bool agpr_operand(Isa isa, unsigned index, OperandType type, Operand& operand);

// Codes 128..208 and 240..248.
bool inline_constant(unsigned code, OperandType type, Operand& operand);
// Scalar registers, inline constants and the special scalar values (235..239, 251..253).
bool scalar_source(Isa isa, unsigned code, OperandType type, Operand& operand);

Operand literal_operand(uint32_t literal, OperandType type);

// The value of a 32-bit literal in an operand of this type.
uint64_t expand_literal(uint32_t literal, OperandType type);

// Values of 16 bits are sign-extended by compilers (halves by LLVM 21's), though not by the assembler; both mean the
// low half.
bool is_sign_extended_half(uint32_t literal, OperandType type);

// False for a literal that LLVM would not write for a number: one that has an inline form, or set bits above a 16-bit
// operand (other than its sign).
bool literal_is_canonical(uint32_t literal, OperandType type);

}  // namespace kernloop::softgpu
