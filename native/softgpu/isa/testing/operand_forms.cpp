#include "softgpu/isa/testing/operand_forms.h"

#include <algorithm>
#include <array>

#include "softgpu/isa/operand_fields.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr unsigned kVgprs = kCodeVgpr0 + 16, kSgprs = 8, kOne = kCodeZero + 1, kHalf = 240, kScc = 253;
// Registers that hold the widest operands aligned, and other values of a source field.
constexpr unsigned kScalarResult = 24, kVectorResult = 128;
constexpr unsigned kKinds[] = {kVgprs,    kVgprs + 32, kSgprs, kSgprs + 16, kCodeVcc,    kCodeNull,
                               kCodeExec, kOne,        kHalf,  kScc,        kCodeLiteral};
constexpr unsigned kKindsUnderOpSel[] = {kVgprs, kSgprs, kOne, kHalf, kCodeLiteral};
constexpr uint32_t kLiteral = 0xfedcba98, kHalfLiteral = 0x4248, kLane = 5;

using Codes = std::array<unsigned, 3>;

class Forms {
 public:
  Forms(Isa isa, Encoding encoding, unsigned opcode, const OpcodeRow& row) : row_(row) {
    const bool packed = encoding == Encoding::kVop3p, rdna = isa == Isa::kGfx1030 || isa == Isa::kGfx1100;
    const uint32_t prefix = packed ? rdna ? 0xcc000000 : 0xd3800000 : rdna ? 0xd4000000 : 0xd0000000;
    names_exec_ = isa == Isa::kGfx1100;
    first_ = prefix | opcode << 16 | result();
    if (packed) {  // op_sel_hi of every source, also of those that the instruction lacks
      first_ |= 0x4000;
      second_ = 0x18000000;
    }
    has_null_ = rdna;
    count_ = row.signature.src_count < 3 ? row.signature.src_count : 3;
    for (unsigned i = 0; i < count_; ++i) base_[i] = usual(row.signature.src[i]);
  }

  std::vector<Words> all() {
    for (uint32_t op_sel : {1, 2, 3, 4, 8, 15}) {
      for (unsigned i = 0; i < count_; ++i) {
        for (unsigned kind : kKindsUnderOpSel) add(with(base_, i, kind), op_sel << 11, 0);
      }
    }
    for (unsigned i = 0; i < count_; ++i) {
      for (unsigned kind : kKinds) {
        add(with(base_, i, kind), 0, 0);
        for (unsigned j = i + 1; j < count_; ++j) {
          for (unsigned other : kKinds) add(with(with(base_, i, kind), j, other), 0, 0);
        }
      }
      for (unsigned modifier : {8, 9, 10, 15}) add(with(base_, i, kCodeLiteral), 1u << modifier, 0);
      for (unsigned modifier : {27, 28, 29, 30, 31}) add(with(base_, i, kCodeLiteral), 0, 1u << modifier);
    }
    add({kCodeLiteral, kCodeLiteral, kCodeLiteral}, 0, 0);
    return std::move(words_);
  }

 private:
  unsigned result() const {
    if (row_.signature.dst_count == 0) return 0;
    const OperandSpec& spec = row_.signature.dst[0];
    if (spec.where == OperandClass::kExec) return names_exec_ ? kCodeExec : 0;
    return spec.type == OperandType::kMask || spec.where == OperandClass::kSgpr ? kScalarResult : kVectorResult;
  }
  static unsigned usual(const OperandSpec& spec) {
    const bool scalar =
        spec.where == OperandClass::kScalar || spec.where == OperandClass::kLane || spec.type == OperandType::kMask;
    return scalar ? kSgprs : kVgprs;
  }
  static Codes with(Codes codes, unsigned place, unsigned code) {
    codes[place] = code;
    return codes;
  }
  // With a literal of each length, and one that has an inline form.
  void add(const Codes& codes, uint32_t first, uint32_t second) {
    if (!has_null_ && std::ranges::find(codes, kCodeNull) != codes.end()) return;
    uint32_t sources = 0;
    bool literal = false;
    for (unsigned i = 0; i < count_; ++i) {
      sources |= codes[i] << (9 * i);
      literal |= codes[i] == kCodeLiteral;
    }
    for (uint32_t value : {kLiteral, kHalfLiteral, kLane}) {
      words_.push_back({first_ | first, (second_ ^ second) | sources, value});
      if (!literal) break;
    }
  }

  const OpcodeRow& row_;
  uint32_t first_ = 0, second_ = 0;
  unsigned count_ = 0;
  bool has_null_ = false;
  bool names_exec_ = false;  // newer LLVM names EXEC in the long form of v_cmpx
  Codes base_{};
  std::vector<Words> words_;
};

}  // namespace

std::vector<Words> operand_forms(Isa isa, Encoding encoding, unsigned opcode, const OpcodeRow& row) {
  return Forms(isa, encoding, opcode, row).all();
}

}  // namespace kernloop::softgpu::testing
