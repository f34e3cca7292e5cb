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

#define ROW(opcode, name, signature, flags) OpcodeRow{opcode, Op::name, parse_signature(signature), parse_flags(flags)},

namespace gfx90a {
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
}  // namespace gfx90a

namespace gfx1030 {
constexpr OpcodeRow kSop1[] = {
#include "softgpu/isa/gfx1030/sop1.def"
};
constexpr OpcodeRow kSop2[] = {
#include "softgpu/isa/gfx1030/sop2.def"
};
constexpr OpcodeRow kSopK[] = {
#include "softgpu/isa/gfx1030/sopk.def"
};
constexpr OpcodeRow kSopC[] = {
#include "softgpu/isa/gfx1030/sopc.def"
};
constexpr OpcodeRow kSopP[] = {
#include "softgpu/isa/gfx1030/sopp.def"
};
constexpr OpcodeRow kSmem[] = {
#include "softgpu/isa/gfx1030/smem.def"
};
constexpr OpcodeRow kVop1[] = {
#include "softgpu/isa/gfx1030/vop1.def"
};
constexpr OpcodeRow kVop2[] = {
#include "softgpu/isa/gfx1030/vop2.def"
};
constexpr OpcodeRow kVopC[] = {
#include "softgpu/isa/gfx1030/vopc.def"
};
constexpr OpcodeRow kVop3[] = {
#include "softgpu/isa/gfx1030/vop3.def"
};
constexpr OpcodeRow kVop3p[] = {
#include "softgpu/isa/gfx1030/vop3p.def"
};
constexpr OpcodeRow kDs[] = {
#include "softgpu/isa/gfx1030/ds.def"
};
constexpr OpcodeRow kFlat[] = {
#include "softgpu/isa/gfx1030/flat.def"
};
constexpr OpcodeRow kGlobal[] = {
#include "softgpu/isa/gfx1030/global.def"
};
constexpr OpcodeRow kScratch[] = {
#include "softgpu/isa/gfx1030/scratch.def"
};
constexpr OpcodeRow kMubuf[] = {
#include "softgpu/isa/gfx1030/mubuf.def"
};
constexpr OpcodeRow kMtbuf[] = {
#include "softgpu/isa/gfx1030/mtbuf.def"
};
}  // namespace gfx1030
#undef ROW

constexpr unsigned kVop2InVop3 = 0x100;
constexpr unsigned kVop1InVop3[kIsas] = {0x140, 0x180};

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
  void add_vop3(std::span<const OpcodeRow> vop3, std::span<const OpcodeRow> vopc, std::span<const OpcodeRow> vop2,
                std::span<const OpcodeRow> vop1, unsigned vop1_offset) {
    add_vop3(vop3, 0, false);
    add_vop3(vopc, 0, true);
    add_vop3(vop2, kVop2InVop3, true);
    add_vop3(vop1, vop1_offset, true);
  }
};

// The tables of one target have the same names as those of the other.
#define ADD_TABLES(target)                         \
  index.add(Encoding::kSop1, target::kSop1);       \
  index.add(Encoding::kSop2, target::kSop2);       \
  index.add(Encoding::kSopK, target::kSopK);       \
  index.add(Encoding::kSopC, target::kSopC);       \
  index.add(Encoding::kSopP, target::kSopP);       \
  index.add(Encoding::kSmem, target::kSmem);       \
  index.add(Encoding::kVop1, target::kVop1);       \
  index.add(Encoding::kVop2, target::kVop2);       \
  index.add(Encoding::kVopC, target::kVopC);       \
  index.add(Encoding::kVop3p, target::kVop3p);     \
  index.add(Encoding::kDs, target::kDs);           \
  index.add(Encoding::kFlat, target::kFlat);       \
  index.add(Encoding::kGlobal, target::kGlobal);   \
  index.add(Encoding::kScratch, target::kScratch); \
  index.add(Encoding::kMubuf, target::kMubuf);     \
  index.add(Encoding::kMtbuf, target::kMtbuf);

const Index& index_of(Isa isa) {
  static const Index gfx90a_index = [] {
    Index index;
    ADD_TABLES(gfx90a)
    index.add_vop3(gfx90a::kVop3, gfx90a::kVopC, gfx90a::kVop2, gfx90a::kVop1, kVop1InVop3[0]);
    return index;
  }();
  static const Index gfx1030_index = [] {
    Index index;
    ADD_TABLES(gfx1030)
    index.add_vop3(gfx1030::kVop3, gfx1030::kVopC, gfx1030::kVop2, gfx1030::kVop1, kVop1InVop3[1]);
    return index;
  }();
  return isa == Isa::kGfx1030 ? gfx1030_index : gfx90a_index;
}
#undef ADD_TABLES

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
