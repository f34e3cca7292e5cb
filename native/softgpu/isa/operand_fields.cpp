#include "softgpu/isa/operand_fields.h"

namespace kernloop::softgpu {
namespace {

constexpr unsigned kLastSgpr[kIsas] = {101, 105, 101, 105};

// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2*pi): codes 240..248.
constexpr uint16_t kF16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kF32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                             0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t kF64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                             0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                             0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

// Packed 32-bit pairs take 32-bit constants; only true 64-bit operands take 64-bit ones.
bool is_64_bit(OperandType type) {
  return type == OperandType::kB64 || type == OperandType::kI64 || type == OperandType::kU64 ||
         type == OperandType::kF64 || type == OperandType::kMask;
}

Operand constant(uint64_t value, OperandType type) {
  Operand operand;
  operand.kind = Operand::Kind::kConstant;
  operand.type = type;
  operand.dwords = static_cast<uint8_t>(dwords_of(type));
  operand.value = value;
  return operand;
}

bool registers(Operand::Kind kind, unsigned index, OperandType type, Operand& operand) {
  operand = Operand{};
  operand.kind = kind;
  operand.type = type;
  operand.dwords = static_cast<uint8_t>(dwords_of(type));
  operand.index = static_cast<uint16_t>(index);
  return true;
}

bool vector_registers(Isa isa, Operand::Kind kind, unsigned index, OperandType type, Operand& operand) {
  const unsigned dwords = dwords_of(type);
  const bool aligned_tuples = isa == Isa::kGfx90a || isa == Isa::kGfx942;
  if (aligned_tuples && dwords > 1 && index % 2 != 0) return false;
  if (index + dwords > 256) return false;
  return registers(kind, index, type, operand);
}

}  // namespace

bool sgpr_operand(Isa isa, unsigned code, OperandType type, Operand& operand) {
  const unsigned dwords = dwords_of(type);
  const unsigned alignment = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
  const unsigned last = kLastSgpr[static_cast<unsigned>(isa)];
  if ((isa == Isa::kGfx1030 || isa == Isa::kGfx1100) && code == kCodeNull && dwords <= 2) {
    return registers(Operand::Kind::kSgpr, code, type, operand);
  }
  if (code % alignment != 0) return false;
  const bool general = code + dwords - 1 <= last;
  const bool trap = code >= kFirstTtmp && code + dwords - 1 <= kLastTtmp;
  const bool named_pair =
      dwords <= 2 && code > last && code < kFirstTtmp;  // vcc, and on gfx90a flat_scratch, xnack_mask
  const bool m0 = dwords == 1 && code == kCodeM0;
  const bool exec = dwords <= 2 && code >= kCodeExec && code + dwords - 1 <= kCodeExec + 1;
  if (!general && !trap && !named_pair && !m0 && !exec) return false;
  return registers(Operand::Kind::kSgpr, code, type, operand);
}

bool vgpr_operand(Isa isa, unsigned index, OperandType type, Operand& operand) {
  return vector_registers(isa, Operand::Kind::kVgpr, index, type, operand);
}

bool agpr_operand(Isa isa, unsigned index, OperandType type, Operand& operand) {
  return vector_registers(isa, Operand::Kind::kAgpr, index, type, operand);
}

bool inline_constant(unsigned code, OperandType type, Operand& operand) {
  if (code >= kCodeZero && code <= 208) {
    const int64_t integer = code <= 192 ? static_cast<int64_t>(code) - 128 : 192 - static_cast<int64_t>(code);
    operand = constant(is_64_bit(type) ? static_cast<uint64_t>(integer) : static_cast<uint32_t>(integer), type);
    operand.index = static_cast<uint16_t>(code);
    return true;
  }
  if (code < 240 || code > 248) return false;
  // The value that a 16-bit integer operand reads is undocumented, and LLVM never emits it.
  if (is_16_bit(type) && type != OperandType::kF16 && type != OperandType::kPkF16) return false;
  const unsigned i = code - 240;
  operand = constant(is_64_bit(type) ? kF64[i] : is_16_bit(type) ? kF16[i] : kF32[i], type);
  operand.index = static_cast<uint16_t>(code);
  return true;
}

bool scalar_source(Isa isa, unsigned code, OperandType type, Operand& operand) {
  if (code < kCodeZero) return sgpr_operand(isa, code, type, operand);
  const bool rdna3 = isa == Isa::kGfx1100;  // has no vccz, execz and pops_exiting_wave_id
  if ((code >= 235 && code <= (rdna3 ? 238u : 239u)) || (code >= (rdna3 ? 253u : 251u) && code <= 253)) {
    return registers(Operand::Kind::kSpecial, code, type, operand);
  }
  return inline_constant(code, type, operand);
}

bool is_sign_extended_half(uint32_t literal, OperandType type) {
  return is_16_bit(type) && !is_packed(type) && literal >= 0xffff8000u;
}

uint64_t expand_literal(uint32_t literal, OperandType type) {
  if (type == OperandType::kF64) return static_cast<uint64_t>(literal) << 32;
  if (type == OperandType::kI64) return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(literal)));
  return is_16_bit(type) && !is_packed(type) ? literal & 0xffff : literal;
}

Operand literal_operand(uint32_t literal, OperandType type) {
  Operand operand = constant(expand_literal(literal, type), type);
  operand.is_literal = true;
  operand.literal = literal;
  return operand;
}

bool literal_is_canonical(uint32_t literal, OperandType type) {
  const auto small_integer = [](int64_t value) { return value >= -16 && value <= 64; };
  if (dwords_of(type) == 1 && !is_16_bit(type)) {
    for (uint32_t bits : kF32) {
      if (bits == literal) return false;
    }
    return !small_integer(static_cast<int32_t>(literal));
  }
  if (is_64_bit(type)) return !small_integer(literal);
  // The assembler takes a packed integer for a 32-bit one, and judges a packed half by its low half alone.
  if (type == OperandType::kPkI16) return literal_is_canonical(literal, OperandType::kB32);
  if (type != OperandType::kPkF16 && literal > 0xffff && !is_sign_extended_half(literal, type)) return false;
  if (small_integer(static_cast<int16_t>(literal))) return false;
  if (type != OperandType::kF16 && type != OperandType::kPkF16) return true;
  for (uint16_t bits : kF16) {
    if (bits == static_cast<uint16_t>(literal)) return false;
  }
  return true;
}

}  // namespace kernloop::softgpu
