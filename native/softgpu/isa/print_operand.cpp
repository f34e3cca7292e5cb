#include "softgpu/isa/print_operand.h"

#include <cstdio>

#include "softgpu/isa/operand_fields.h"
#include "softgpu/isa/signature.h"

namespace kernloop::softgpu {
namespace {

struct NamedRegister {
  unsigned index;
  unsigned dwords;
  const char* name;
};
constexpr NamedRegister kNamedRegisters[] = {
    {102, 1, "flat_scratch_lo"},
    {103, 1, "flat_scratch_hi"},
    {102, 2, "flat_scratch"},
    {104, 1, "xnack_mask_lo"},
    {105, 1, "xnack_mask_hi"},
    {104, 2, "xnack_mask"},
    {106, 1, "vcc_lo"},
    {107, 1, "vcc_hi"},
    {106, 2, "vcc"},
    {124, 1, "m0"},
    {126, 1, "exec_lo"},
    {127, 1, "exec_hi"},
    {126, 2, "exec"},
};

const char* special_name(unsigned code) {
  switch (code) {
    case 235:
      return "src_shared_base";
    case 236:
      return "src_shared_limit";
    case 237:
      return "src_private_base";
    case 238:
      return "src_private_limit";
    case 239:
      return "src_pops_exiting_wave_id";
    case 251:
      return "src_vccz";
    case 252:
      return "src_execz";
    default:
      return "src_scc";
  }
}

std::string tuple(const char* file, unsigned index, unsigned dwords) {
  if (dwords == 1) return file + std::to_string(index);
  return std::string(file) + "[" + std::to_string(index) + ":" + std::to_string(index + dwords - 1) + "]";
}

std::string print_sgpr(Isa isa, const Operand& operand) {
  if (operand.index == kCodeNull) return "null";
  const unsigned first_named = isa == Isa::kGfx1030 || isa == Isa::kGfx1100 ? kCodeVcc : 0;
  for (const NamedRegister& named : kNamedRegisters) {
    if (named.index < first_named) continue;
    if (named.index == operand.index && named.dwords == operand.dwords) return named.name;
  }
  if (operand.index >= kFirstTtmp && operand.index <= kLastTtmp) {
    return tuple("ttmp", operand.index - kFirstTtmp, operand.dwords);
  }
  return tuple("s", operand.index, operand.dwords);
}

// gfx1100 names the half of a register that a 16-bit operand is.
std::string half_name(Isa isa, const Operand& operand) {
  if (isa != Isa::kGfx1100 || operand.sdwa_select == 6) return "";
  return operand.sdwa_select == 5 ? ".h" : ".l";
}

std::string print_constant(const Operand& operand) {
  if (operand.is_literal) return hex(is_16_bit(operand.type) ? operand.value : operand.literal);
  static constexpr const char* kFloats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
  const unsigned code = operand.index;
  if (code >= 240 && code < 248) return kFloats[code - 240];
  if (code == 248) {
    // Long enough to name the constant of each width.
    const bool wide = operand.value > UINT32_MAX;
    return wide ? "0.15915494309189532" : "0.15915494";
  }
  const int value = code <= 192 ? static_cast<int>(code) - 128 : 192 - static_cast<int>(code);
  return std::to_string(value);
}

}  // namespace

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string print_register_or_constant(Isa isa, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kSgpr:
      return print_sgpr(isa, operand);
    case Operand::Kind::kVgpr:
      return tuple("v", operand.index, operand.dwords) + half_name(isa, operand);
    case Operand::Kind::kAgpr:
      return tuple("a", operand.index, operand.dwords);
    case Operand::Kind::kConstant:
      return print_constant(operand);
    case Operand::Kind::kSpecial:
      return special_name(operand.index);
    case Operand::Kind::kOff:
      return "off";
    case Operand::Kind::kNone:
      break;
  }
  return "";
}

std::string print_source(Isa isa, const Operand& operand) {
  std::string text = print_register_or_constant(isa, operand);
  if (operand.sign_extend) return "sext(" + text + ")";
  // A minus before a constant would be part of the number.
  const bool constant = operand.kind == Operand::Kind::kConstant;
  if (operand.absolute) text = "|" + text + "|";
  if (operand.negate) text = constant && !operand.absolute ? "neg(" + text + ")" : "-" + text;
  return text;
}

}  // namespace kernloop::softgpu
