// Words of one opcode of VOP3 or VOP3P, chosen, not drawn: every kind of source in every place under every op_sel, each
// pair of kinds, and each modifier beside a literal. Random words meet a certain opcode with a literal in a certain
// place once in tens of millions.
#pragma once

#include <vector>

#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/testing/llvm_oracle.h"

namespace kernloop::softgpu::testing {

// `row`: find_row() of the opcode.
std::vector<Words> operand_forms(Isa isa, Encoding encoding, unsigned opcode, const OpcodeRow& row);

}  // namespace kernloop::softgpu::testing
