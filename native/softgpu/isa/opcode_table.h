// The opcode tables of a target, by encoding and number, and backwards by encoding and name.
#pragma once

#include <cstdint>
#include <string_view>

#include "softgpu/isa/instruction.h"
#include "softgpu/isa/signature.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

struct OpcodeRow {
  uint16_t opcode = 0;
  Op op = Op::kInvalid;
  Signature signature;
  uint64_t flags = 0;
};

// An operation on one target. VOP1, VOP2 and VOPC with kE64 include their VOP3 form.
struct OperationForm {
  Encoding encoding = Encoding::kInvalid;  // the target has no such operation
  OpcodeRow row;
  std::string_view name;  // the target's own mnemonic, if it differs
};

const OperationForm& form_of(Isa isa, Op op);

// The mnemonic on a target: gfx1100 renamed some that the others share.
std::string_view op_name(Isa isa, Op op);

// The row of an opcode number, or null if the target has none. For kVop3 this includes the VOP3 forms of VOPC (numbers
// from 0x000), VOP2 (from 0x100) and VOP1 (from 0x140, gfx1030 and gfx1100: from 0x180).
const OpcodeRow* find_row(Isa isa, Encoding encoding, unsigned opcode);

// The row of a decoded instruction.
const OpcodeRow* find_row(Isa isa, Encoding encoding, Op op);

// True if a kVop3 row is the longer form of a VOP1, VOP2 or VOPC opcode: LLVM then prints _e64.
bool is_promoted_to_vop3(Isa isa, Op op);

}  // namespace kernloop::softgpu
