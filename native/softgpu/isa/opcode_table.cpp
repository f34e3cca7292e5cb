// The opcode tables of gfx90a, one file an encoding under gfx90a/, and the look-ups over them.
//
// A row says everything about an opcode that its encoding does not:
//   ROW(0x1e0, v_div_scale_f32, "f32 m64 = f32 f32 f32", "clamp omod")
// number, mnemonic (in ops.def, without LLVM's suffixes), operand types in the order of LLVM's syntax, options. The
// words are those of kTypeNames, kClassNames and kFlagNames in signature.h; a word that is not there does not compile.
// VOP1, VOP2 and VOPC rows with e64 also stand for their VOP3 form, at the offsets below.
//
// Adding an opcode: its mnemonic to ops.def, its row to the table. random_words_test then reaches the row, and LLVM
// judges it.
//
// Adding a target, for example gfx1030:
//  1. Find its opcodes by asking LLVM rather than a manual: decode every opcode number of every encoding with plausible
//     operand fields (llvm-mc -disassemble -mcpu=…), assemble the text back (llvm-mc -show-encoding), and keep what
//     gives the same bytes. Set each modifier bit in turn: those that survive are the row's options.
//  2. Write the tables beside gfx90a/ and give Index one instance a target; rows that agree can be included from there.
//  3. Field layouts live in decode_*.cpp. Where the target moves a field, give it its own function; where it only lacks
//     or gains a code (registers, inline constants, alignment of tuples), make that a property of the target in
//     operand_fields.cpp. The constant bus limit is in decode_vector.cpp.
//  4. Point the tests at the target: testing/llvm_oracle.cpp names the -mcpu, word_generator.h the encodings.
#include "softgpu/isa/opcode_table.h"

#include <array>
#include <span>

namespace kernloop::softgpu {
namespace {

#define ROW(opcode, name, signature, flags) OpcodeRow{opcode, Op::name, parse_signature(signature), parse_flags(flags)},

constexpr OpcodeRow kSop1[] = {
#include "softgpu/isa/gfx90a/sop1.def"
};
constexpr OpcodeRow kSop2[] = {
#include "softgpu/isa/gfx90a/sop2.def"
};
constexpr OpcodeRow kSopK[] = {
#include "softgpu/isa/gfx90a/sopk.def"
};
constexpr OpcodeRow kSopC[] = {
#include "softgpu/isa/gfx90a/sopc.def"
};
constexpr OpcodeRow kSopP[] = {
#include "softgpu/isa/gfx90a/sopp.def"
};
constexpr OpcodeRow kSmem[] = {
#include "softgpu/isa/gfx90a/smem.def"
};
constexpr OpcodeRow kVop1[] = {
#include "softgpu/isa/gfx90a/vop1.def"
};
constexpr OpcodeRow kVop2[] = {
#include "softgpu/isa/gfx90a/vop2.def"
};
constexpr OpcodeRow kVopC[] = {
#include "softgpu/isa/gfx90a/vopc.def"
};
constexpr OpcodeRow kVop3[] = {
#include "softgpu/isa/gfx90a/vop3.def"
};
constexpr OpcodeRow kVop3p[] = {
#include "softgpu/isa/gfx90a/vop3p.def"
};
constexpr OpcodeRow kDs[] = {
#include "softgpu/isa/gfx90a/ds.def"
};
constexpr OpcodeRow kFlat[] = {
#include "softgpu/isa/gfx90a/flat.def"
};
constexpr OpcodeRow kGlobal[] = {
#include "softgpu/isa/gfx90a/global.def"
};
constexpr OpcodeRow kScratch[] = {
#include "softgpu/isa/gfx90a/scratch.def"
};
constexpr OpcodeRow kMubuf[] = {
#include "softgpu/isa/gfx90a/mubuf.def"
};
constexpr OpcodeRow kMtbuf[] = {
#include "softgpu/isa/gfx90a/mtbuf.def"
};
#undef ROW

constexpr unsigned kVop2InVop3 = 0x100;
constexpr unsigned kVop1InVop3 = 0x140;

constexpr size_t kEncodings = static_cast<size_t>(Encoding::kInvalid);

struct Index {
  std::array<const OpcodeRow*, 0x400> vop3_by_number{};
  std::array<std::array<const OpcodeRow*, 256>, kEncodings> by_number{};
  std::array<std::array<const OpcodeRow*, static_cast<size_t>(Op::kCount)>, kEncodings> by_name{};
  std::array<bool, static_cast<size_t>(Op::kCount)> promoted{};

  void add(Encoding encoding, std::span<const OpcodeRow> rows) {
    for (const OpcodeRow& row : rows) {
      by_number[static_cast<size_t>(encoding)][row.opcode] = &row;
      by_name[static_cast<size_t>(encoding)][static_cast<size_t>(row.op)] = &row;
    }
  }
  void add_vop3(std::span<const OpcodeRow> rows, unsigned offset, bool promotion) {
    for (const OpcodeRow& row : rows) {
      if (promotion && !(row.flags & kE64)) continue;
      vop3_by_number[row.opcode + offset] = &row;
      by_name[static_cast<size_t>(Encoding::kVop3)][static_cast<size_t>(row.op)] = &row;
      promoted[static_cast<size_t>(row.op)] = promotion;
    }
  }
  Index() {
    add(Encoding::kSop1, kSop1);
    add(Encoding::kSop2, kSop2);
    add(Encoding::kSopK, kSopK);
    add(Encoding::kSopC, kSopC);
    add(Encoding::kSopP, kSopP);
    add(Encoding::kSmem, kSmem);
    add(Encoding::kVop1, kVop1);
    add(Encoding::kVop2, kVop2);
    add(Encoding::kVopC, kVopC);
    add(Encoding::kVop3p, kVop3p);
    add(Encoding::kDs, kDs);
    add(Encoding::kFlat, kFlat);
    add(Encoding::kGlobal, kGlobal);
    add(Encoding::kScratch, kScratch);
    add(Encoding::kMubuf, kMubuf);
    add(Encoding::kMtbuf, kMtbuf);
    add_vop3(kVop3, 0, false);
    add_vop3(kVopC, 0, true);
    add_vop3(kVop2, kVop2InVop3, true);
    add_vop3(kVop1, kVop1InVop3, true);
  }
};

const Index& index() {
  static const Index instance;
  return instance;
}

}  // namespace

const OpcodeRow* find_row(Encoding encoding, unsigned opcode) {
  if (encoding == Encoding::kVop3) return opcode < 0x400 ? index().vop3_by_number[opcode] : nullptr;
  return opcode < 256 ? index().by_number[static_cast<size_t>(encoding)][opcode] : nullptr;
}

const OpcodeRow* find_row(Encoding encoding, Op op) {
  if (encoding >= Encoding::kInvalid || op >= Op::kCount) return nullptr;
  return index().by_name[static_cast<size_t>(encoding)][static_cast<size_t>(op)];
}

bool is_promoted_to_vop3(Op op) {
  return op < Op::kCount && index().promoted[static_cast<size_t>(op)];
}

}  // namespace kernloop::softgpu
