// The opcode tables, one file an encoding under the folder of its target, and the look-ups over them.
//
// A row says everything about an opcode that its encoding does not:
//   ROW(0x1e0, v_div_scale_f32, "f32 mask = f32 f32 f32", "clamp omod")
// number, mnemonic (in ops.def, without LLVM's suffixes), operand types in the order of LLVM's syntax, options. The
// words are those of kTypeNames, kClassNames and kFlagNames in signature.h; a word that is not there does not compile.
// VOP1, VOP2 and VOPC rows with e64 also stand for their VOP3 form, at the offsets below.
//
// Adding an opcode: its mnemonic to ops.def, its row to the table. random_words_test then reaches the row, and LLVM
// judges it.
//
// Adding a target: find its opcodes by asking LLVM rather than a manual. Decode every opcode number of every encoding
// with plausible operand fields (llvm-mc -disassemble -mcpu=…), assemble the text back (llvm-mc -show-encoding), and
// keep what gives the same bytes. Set each modifier bit in turn: those that survive are the row's options. Field
// layouts live in decode_*.cpp, codes of operands in operand_fields.cpp; testing/llvm_oracle.cpp and word_generator.h
// name the targets.
#include "softgpu/isa/opcode_table.h"

#include <array>
#include <span>

namespace kernloop::softgpu {
namespace {

struct EncodingTable {
  Encoding encoding;
  std::span<const OpcodeRow> rows;
};

#define ROW(opcode, name, signature, flags) OpcodeRow{opcode, Op::name, parse_signature(signature), parse_flags(flags)},
#define QUOTED(path) #path
#define QUOTED_EXPANDED(path) QUOTED(path)
// The formatter would put spaces into the path.
// clang-format off
#define TABLE_FILE(encoding) QUOTED_EXPANDED(softgpu/isa/TARGET/encoding.def)
// clang-format on

#define TARGET gfx90a
#include "softgpu/isa/target_tables.inc"
#undef TARGET
#define TARGET gfx1030
#include "softgpu/isa/target_tables.inc"
#undef TARGET

#undef TABLE_FILE
#undef QUOTED_EXPANDED
#undef QUOTED
#undef ROW

constexpr size_t kEncodings = static_cast<size_t>(Encoding::kInvalid);

// Where the VOP3 numbers of an encoding's rows begin, by target; negative where it has none.
int first_in_vop3(Isa isa, Encoding encoding) {
  switch (encoding) {
    case Encoding::kVop3:
    case Encoding::kVopC:
      return 0;
    case Encoding::kVop2:
      return 0x100;
    case Encoding::kVop1:
      return isa == Isa::kGfx1030 ? 0x180 : 0x140;
    default:
      return -1;
  }
}

struct Index {
  std::array<const OpcodeRow*, 0x400> vop3_by_number{};
  std::array<std::array<const OpcodeRow*, 256>, kEncodings> by_number{};
  std::array<std::array<const OpcodeRow*, static_cast<size_t>(Op::kCount)>, kEncodings> by_name{};
  std::array<bool, static_cast<size_t>(Op::kCount)> promoted{};

  Index(Isa isa, std::span<const EncodingTable> tables) {
    for (const EncodingTable& table : tables) {
      const bool promotes = table.encoding != Encoding::kVop3;
      if (promotes) add(table);
      if (const int first = first_in_vop3(isa, table.encoding); first >= 0)
        add_vop3(table.rows, static_cast<unsigned>(first), promotes);
    }
  }

 private:
  void add(const EncodingTable& table) {
    for (const OpcodeRow& row : table.rows) {
      by_number[static_cast<size_t>(table.encoding)][row.opcode] = &row;
      by_name[static_cast<size_t>(table.encoding)][static_cast<size_t>(row.op)] = &row;
    }
  }
  void add_vop3(std::span<const OpcodeRow> rows, unsigned first, bool promotion) {
    for (const OpcodeRow& row : rows) {
      if (promotion && !(row.flags & kE64)) continue;
      vop3_by_number[row.opcode + first] = &row;
      by_name[static_cast<size_t>(Encoding::kVop3)][static_cast<size_t>(row.op)] = &row;
      promoted[static_cast<size_t>(row.op)] = promotion;
    }
  }
};

const Index& index_of(Isa isa) {
  static const Index gfx90a_index(Isa::kGfx90a, gfx90a::kTables);
  static const Index gfx1030_index(Isa::kGfx1030, gfx1030::kTables);
  return isa == Isa::kGfx1030 ? gfx1030_index : gfx90a_index;
}

}  // namespace

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
