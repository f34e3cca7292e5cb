// Operands in LLVM's syntax.
#pragma once

#include <string>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// Without modifiers: "v[2:3]", "s4", "vcc", "0x12345", "-1.0", "off".
std::string print_register_or_constant(Isa isa, const Operand& operand);

// With neg, abs and sext: "-|v2|", "sext(v3)".
std::string print_source(Isa isa, const Operand& operand);

std::string hex(uint64_t value);

}  // namespace kernloop::softgpu
