// Constraints of an operation's types on its operands, and what else a caller of its lane arithmetic has to know. The
// same in every build of the semantics.
#pragma once

#include <cstdint>

namespace kernloop::softgpu::vector {

struct SourceRule {
  enum Kind : uint8_t { kValue, kMask };
  Kind kind = kValue;
  uint8_t dwords = 1;
  uint8_t bits = 32;
  bool sign_modifiers = false;  // neg and abs allowed; they act on the top bit of `bits`
};

// Form of a row: values of lanes, a comparison, the same for both halves of a register, or for two registers.
enum class RowShape : uint8_t { kLanes, kComparison, kHalves, kPair };

// Constraints of an operation's types on its operands.
struct FormRule {
  unsigned sources = 0;
  SourceRule source[4];
  unsigned result_dwords = 1;
  unsigned result_bits = 32;
  bool float_result = false;
  bool f32_result = false;  // else f16 or f64: decides which fields of MODE apply
  bool has_bit = false;     // a mask result follows the value (dst[1])
  bool accumulate = false;
  bool reads_vcc = false;
  bool preserve_high = false;
  RowShape shape = RowShape::kLanes;
  bool fixes_nan = false;     // a NaN result is replaced by the rule of the sources
  bool follows_mode = false;  // another MODE than the default one may change the result

  constexpr unsigned explicit_sources() const { return sources - (accumulate ? 1 : 0) - (reads_vcc ? 1 : 0); }
  constexpr bool is_of_dwords() const {
    for (unsigned k = 0; k < sources; ++k)
      if (source[k].dwords != 1) return false;
    return result_dwords == 1;
  }
};

}  // namespace kernloop::softgpu::vector
