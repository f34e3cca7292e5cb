// The table of operations (operations.def) and the look-ups over it.
//
// Adding an operation: its row. random_words_test then reaches it, and LLVM judges it; the engine refuses it by name
// until a function of its own executes it.
//
// Adding a target: a column to each row, and an Isa. Find its opcodes by asking LLVM rather than a manual. Decode every
// opcode number of every encoding with plausible operand fields (llvm-mc -disassemble -mcpu=…), assemble the text back
// (llvm-mc -show-encoding), and keep what gives the same bytes. Set each modifier bit in turn: those that survive are
// the row's options. Field layouts live in decode_*.cpp, codes of operands in operand_fields.cpp;
// testing/llvm_oracle.cpp and word_generator.h name the targets.
#include "softgpu/isa/opcode_table.h"

#include <array>

#include "softgpu/isa/op_facts.h"
#include "softgpu/isa/operation_text.h"

namespace kernloop::softgpu {
namespace {

constexpr Operation kOperations[] = {
    Operation{},  // Op::kInvalid
#define OP(name, facts, encoding, operands, options, ...) \
  parse_operation(Op::name, facts, encoding, operands, options, {__VA_ARGS__}),
#include "softgpu/isa/operations.def"
#undef OP
};

constexpr size_t kEncodings = static_cast<size_t>(Encoding::kInvalid);
constexpr size_t kOps = static_cast<size_t>(Op::kCount);

// First VOP3 number of an encoding's rows, by target; negative if there is none.
int first_in_vop3(Isa isa, Encoding encoding) {
  switch (encoding) {
    case Encoding::kVop3:
    case Encoding::kVopC:
      return 0;
    case Encoding::kVop2:
      return 0x100;
    case Encoding::kVop1:
      return isa == Isa::kGfx1030 || isa == Isa::kGfx1100 ? 0x180 : 0x140;
    default:
      return -1;
  }
}

struct Index {
  std::array<const OpcodeRow*, 0x400> vop3_by_number{};
  std::array<std::array<const OpcodeRow*, 256>, kEncodings> by_number{};
  std::array<std::array<const OpcodeRow*, kOps>, kEncodings> by_name{};
  std::array<bool, kOps> promoted{};

  explicit Index(Isa isa) {
    for (const Operation& operation : kOperations) add(isa, operation.forms[static_cast<size_t>(isa)]);
  }

 private:
  void add(Isa isa, const OperationForm& form) {
    if (form.encoding == Encoding::kInvalid) return;
    const OpcodeRow& row = form.row;
    const bool is_vop3 = form.encoding == Encoding::kVop3;
    if (!is_vop3) {
      by_number[static_cast<size_t>(form.encoding)][row.opcode] = &row;
      by_name[static_cast<size_t>(form.encoding)][static_cast<size_t>(row.op)] = &row;
    }
    const int first = first_in_vop3(isa, form.encoding);
    if (first < 0 || (!is_vop3 && !(row.flags & kE64))) return;
    vop3_by_number[row.opcode + static_cast<unsigned>(first)] = &row;
    by_name[static_cast<size_t>(Encoding::kVop3)][static_cast<size_t>(row.op)] = &row;
    promoted[static_cast<size_t>(row.op)] = !is_vop3;
  }
};

const Index& index_of(Isa isa) {
  static const Index indices[kIsas] = {Index(Isa::kGfx90a), Index(Isa::kGfx1030), Index(Isa::kGfx942),
                                       Index(Isa::kGfx1100)};
  return indices[static_cast<size_t>(isa)];
}

const Operation& operation_of(Op op) {
  return kOperations[op < Op::kCount ? static_cast<size_t>(op) : 0];
}

}  // namespace

const char* op_name(Op op) {
  return op < Op::kCount ? kOpNames[static_cast<size_t>(op)] : kOpNames[0];
}

std::string_view op_name(Isa isa, Op op) {
  const std::string_view own = form_of(isa, op).name;
  return own.empty() ? op_name(op) : own;
}

const OpFacts& facts_of(Op op) {
  return operation_of(op).facts;
}

const OperationForm& form_of(Isa isa, Op op) {
  return operation_of(op).forms[static_cast<size_t>(isa)];
}

const OpcodeRow* find_row(Isa isa, Encoding encoding, unsigned opcode) {
  const Index& index = index_of(isa);
  if (encoding == Encoding::kVop3) return opcode < 0x400 ? index.vop3_by_number[opcode] : nullptr;
  return opcode < 256 ? index.by_number[static_cast<size_t>(encoding)][opcode] : nullptr;
}

const OpcodeRow* find_row(Isa isa, Encoding encoding, Op op) {
  if (encoding >= Encoding::kInvalid || op >= Op::kCount) return nullptr;
  return index_of(isa).by_name[static_cast<size_t>(encoding)][static_cast<size_t>(op)];
}

bool is_promoted_to_vop3(Isa isa, Op op) {
  return op < Op::kCount && index_of(isa).promoted[static_cast<size_t>(op)];
}

}  // namespace kernloop::softgpu
