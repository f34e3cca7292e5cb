// VOPD of gfx1100: two operations in one instruction, each on its own result, sources read before either is written.
#include <algorithm>
#include <array>

#include "softgpu/isa/decode_context.h"

namespace kernloop::softgpu {
namespace {

// By the numbers of the two opcode fields; X has those up to v_dot2c_f32_f16. v_dot2acc_f32_bf16, number 13, is
// refused: no compiler emits it.
constexpr Op kDualOperations[] = {Op::v_fmac_f32,      Op::v_fmaak_f32,   Op::v_fmamk_f32,  Op::v_mul_f32,
                                  Op::v_add_f32,       Op::v_sub_f32,     Op::v_subrev_f32, Op::v_mul_legacy_f32,
                                  Op::v_mov_b32,       Op::v_cndmask_b32, Op::v_max_f32,    Op::v_min_f32,
                                  Op::v_dot2c_f32_f16, Op::kInvalid,      Op::kInvalid,     Op::kInvalid,
                                  Op::v_add_nc_u32,    Op::v_lshlrev_b32, Op::v_and_b32};
constexpr size_t kOperationsOfFirst = 13;

OperandType dual_source_type(Op op) {
  switch (op) {
    case Op::v_mov_b32:
    case Op::v_cndmask_b32:
    case Op::v_lshlrev_b32:
    case Op::v_and_b32:
      return OperandType::kB32;
    case Op::v_add_nc_u32:
      return OperandType::kU32;
    case Op::v_dot2c_f32_f16:
      return OperandType::kPkF16;
    default:
      return OperandType::kF32;
  }
}

bool takes_k(Op op) {
  return op == Op::v_fmaak_f32 || op == Op::v_fmamk_f32;
}

struct Half {
  Op op;
  unsigned vdst, src0, vsrc1;
  // Vector registers read at the three source positions, or none.
  static constexpr int kNone = -1;
  int first() const { return src0 >= kCodeVgpr0 ? static_cast<int>(src0 - kCodeVgpr0) : kNone; }
  int second() const { return op == Op::v_mov_b32 || op == Op::v_fmamk_f32 ? kNone : static_cast<int>(vsrc1); }
  int third() const {
    if (op == Op::v_fmamk_f32) return static_cast<int>(vsrc1);
    return op == Op::v_fmac_f32 || op == Op::v_dot2c_f32_f16 ? static_cast<int>(vdst) : kNone;
  }
};

bool same_bank(int x, int y, int banks) {
  return x != Half::kNone && y != Half::kNone && x % banks == y % banks;
}

// The two operations' operands at one position must come from different banks of the register file.
bool share_a_bank(const Half& x, const Half& y) {
  return same_bank(x.first(), y.first(), 4) || same_bank(x.second(), y.second(), 4) ||
         same_bank(x.third(), y.third(), 2);
}

bool add_half(DecodeContext& c, const Half& half, unsigned which) {
  Operand operand;
  c.vgpr(half.vdst, OperandType::kB32, operand);
  c.add_dst(operand);
  Operand& first = c.instruction.src[2 * which];
  Operand& second = c.instruction.src[2 * which + 1];
  const OperandType type = dual_source_type(half.op);
  const bool valid = half.src0 >= kCodeVgpr0     ? c.vgpr(half.src0 - kCodeVgpr0, type, first)
                     : half.src0 == kCodeLiteral ? c.literal(type, first)
                                                 : c.scalar(half.src0, type, first);
  if (!valid) return false;
  if (half.op == Op::v_mov_b32) return half.vsrc1 == 0;
  return c.vgpr(half.vsrc1, type, second);
}

// Two scalar values in all: the literal is one, VCC of a v_cndmask another.
bool within_dual_limit(const DecodeContext& c, const Half& x, const Half& y) {
  std::array<unsigned, 6> seen{};
  unsigned count = 0;
  const auto add = [&](unsigned code) {
    if (std::find(seen.begin(), seen.begin() + count, code) == seen.begin() + count) seen[count++] = code;
  };
  for (const Half* half : {&x, &y}) {
    const unsigned code = scalar_code(c.isa(), half->src0);
    const bool constant = (code >= kCodeZero && code <= 208) || (code >= 240 && code <= 248) || code == kCodeNull;
    if (code < kCodeVgpr0 && !constant) add(code);
    if (takes_k(half->op)) add(kCodeLiteral);
    if (half->op == Op::v_cndmask_b32) add(kCodeVcc);
  }
  return count <= 2;
}

}  // namespace

// srcx0[8:0] vsrcx1[16:9] opy[21:17] opx[25:22] | srcy0[8:0] vsrcy1[16:9] vdsty[23:17] vdstx[31:24], where the lowest
// bit of vdsty is the other one than vdstx has.
DecodeStatus decode_vopd(DecodeContext& c) {
  if (!c.has_word(1)) return c.truncated();
  const uint32_t w0 = c.word(0);
  const uint32_t w1 = c.word(1);
  const unsigned op_x = bits(w0, 25, 22), op_y = bits(w0, 21, 17);
  if (c.wave_size() != 32 || op_x >= kOperationsOfFirst || op_y >= std::size(kDualOperations)) return c.refuse();
  const unsigned vdst_x = bits(w1, 31, 24);
  const Half x{kDualOperations[op_x], vdst_x, bits(w0, 8, 0), bits(w0, 16, 9)};
  const Half y{kDualOperations[op_y], bits(w1, 23, 17) << 1 | (~vdst_x & 1), bits(w1, 8, 0), bits(w1, 16, 9)};
  if (y.op == Op::kInvalid || share_a_bank(x, y) || !within_dual_limit(c, x, y)) return c.refuse();

  Instruction& instruction = c.instruction;
  c.begin_dual(x.op, y.op);
  if (!add_half(c, x, 0) || !add_half(c, y, 1)) return c.refuse();
  instruction.src_count = 4;
  if (takes_k(x.op) || takes_k(y.op)) {
    Operand k;
    if (!c.k_literal(OperandType::kF32, k)) return c.refuse();
  }
  return DecodeStatus::kOk;
}

}  // namespace kernloop::softgpu
