// Matrix multiply-add of gfx1100: D = A * B + C, 16 x 16 x 16, by a wave of 32 lanes or of 64. MODE has no effect.
//
// Placement of elements (LLVM's tests of rocWMMA's layouts; "How to accelerate AI applications on RDNA 3 using WMMA",
// AMD GPUOpen): lane l below 16 holds row l of A and column l of B, 16 elements each, packed; every further 16 lanes
// hold the same again, which the caller has made sure of (rdna3.cpp). C and D have column l % 16 in lane l; their rows
// are dealt out to the groups of 16 lanes in turn. Halves are in the low half of a register, or in the high one by
// op_sel, and the other half of D stays. Sums as in mfma.cpp; one of halves is rounded once, at its end.
#include <algorithm>
#include <cstdint>

#include "softgpu/engine/vector/matrix_elements.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Kind = Operand::Kind;

constexpr unsigned kSize = 16;

// Factors: element k of a lane.
struct HalfFactor {
  using Sum = float;
  static Sum load(const uint32_t* p, unsigned lane, unsigned k, bool) {
    return half_to_float((p[k / 2 * kLanes + lane] >> (16 * (k & 1))) & 0xffffu);
  }
};
struct BrainFactor {
  using Sum = float;
  static Sum load(const uint32_t* p, unsigned lane, unsigned k, bool) {
    return as_float((p[k / 2 * kLanes + lane] >> (16 * (k & 1))) << 16);
  }
};
template <unsigned kBits>
struct IntegerFactor {
  using Sum = int64_t;
  static Sum load(const uint32_t* p, unsigned lane, unsigned k, bool is_signed) {
    constexpr unsigned per = 32 / kBits;
    const uint32_t top = p[k / per * kLanes + lane] << (32 - kBits - k % per * kBits);
    return is_signed ? Sum{static_cast<int32_t>(top) >> (32 - kBits)} : Sum{top >> (32 - kBits)};
  }
};

float add_product(float sum, float a, float b) {
  return fused(a, b, sum);
}
int64_t add_product(int64_t sum, int64_t a, int64_t b) {
  return sum + a * b;
}

// Elements of C and D.
struct SingleSum {
  static float load(uint32_t word, unsigned) { return as_float(word); }
  static uint32_t store(float v, uint32_t, const Instruction&) { return is_nan(v) ? kDefaultNan32 : bits(v); }
};
struct HalfSum {
  static unsigned shift(unsigned op_sel) { return op_sel & 4 ? 16 : 0; }
  static float load(uint32_t word, unsigned op_sel) { return half_to_float(word >> shift(op_sel) & 0xffffu); }
  static uint32_t store(float v, uint32_t old, const Instruction& instruction) {
    const unsigned at = shift(instruction.op_sel);
    const uint32_t half = is_nan(v) ? 0x7e00u : float_to_half(v);
    return (old & ~(0xffffu << at)) | half << at;
  }
};
struct IntegerSum {
  static int64_t load(uint32_t word, unsigned) { return static_cast<int32_t>(word); }
  static uint32_t store(int64_t v, uint32_t, const Instruction& instruction) {
    return static_cast<uint32_t>(instruction.clamp ? std::clamp<int64_t>(v, INT32_MIN, INT32_MAX) : v);
  }
};

template <class Factor, class Result>
void multiply(Wave& wave, const Instruction& instruction) {
  using Sum = typename Factor::Sum;
  const uint32_t *a_planes = wave.vgpr[instruction.src[0].index], *b_planes = wave.vgpr[instruction.src[1].index];
  Sum a[kSize][kSize], b[kSize][kSize];
  for (unsigned lane = 0; lane < kSize; ++lane) {
    for (unsigned k = 0; k < kSize; ++k) {
      a[lane][k] = Factor::load(a_planes, lane, k, instruction.neg_lo & 1);
      b[k][lane] = Factor::load(b_planes, lane, k, instruction.neg_lo & 2);
    }
  }

  const Operand& c = instruction.src[2];
  uint32_t* d_planes = wave.vgpr[instruction.dst[0].index];
  const unsigned registers = instruction.dst[0].dwords, groups = kSize / registers;
  // D may be C: everything is computed before anything is written.
  alignas(64) uint32_t d[8 * kLanes];
  __builtin_memcpy(d, d_planes, registers * sizeof(VectorRegister));
  for (unsigned i = 0; i < kSize; ++i) {
    const unsigned first = i / groups * kLanes + i % groups * kSize;
    Sum row[kSize];
    for (unsigned j = 0; j < kSize; ++j) {
      const uint32_t word = c.kind == Kind::kConstant ? static_cast<uint32_t>(c.value) : wave.vgpr[c.index][first + j];
      row[j] = Result::load(word, instruction.op_sel);
    }
    for (unsigned k = 0; k < kSize; ++k) {
      for (unsigned j = 0; j < kSize; ++j) row[j] = add_product(row[j], a[i][k], b[k][j]);
    }
    for (unsigned j = 0; j < kSize; ++j) d[first + j] = Result::store(row[j], d[first + j], instruction);
  }
  __builtin_memcpy(d_planes, d, registers * sizeof(VectorRegister));
}

struct WmmaRow {
  Op op;
  ExecuteFn execute;
  bool halves, integers;
};

constexpr WmmaRow kRows[] = {
    {Op::v_wmma_f32_16x16x16_f16, multiply<HalfFactor, SingleSum>, false, false},
    {Op::v_wmma_f32_16x16x16_bf16, multiply<BrainFactor, SingleSum>, false, false},
    {Op::v_wmma_f16_16x16x16_f16, multiply<HalfFactor, HalfSum>, true, false},
    {Op::v_wmma_i32_16x16x16_iu8, multiply<IntegerFactor<8>, IntegerSum>, false, true},
    {Op::v_wmma_i32_16x16x16_iu4, multiply<IntegerFactor<4>, IntegerSum>, false, true},
};

}  // namespace

ExecuteFn select_wmma(const Instruction& instruction) {
  for (const WmmaRow& row : kRows) {
    if (row.op != instruction.op) continue;
    const Operand &d = instruction.dst[0], &c = instruction.src[2];
    if (instruction.dst_count != 1 || instruction.src_count != 3 || d.kind != Kind::kVgpr) return nullptr;
    if (d.dwords != 4 && d.dwords != 8) return nullptr;
    if (instruction.src[0].kind != Kind::kVgpr || instruction.src[1].kind != Kind::kVgpr) return nullptr;
    if (c.kind != Kind::kVgpr && c.kind != Kind::kConstant) return nullptr;
    // The constant for a half of the accumulator is not documented, except for 0.
    if (row.halves && c.kind == Kind::kConstant && c.value != 0) return nullptr;
    if (instruction.is_dpp || instruction.omod || (instruction.op_sel & (row.halves ? 3 : 7))) return nullptr;
    if (instruction.clamp && !row.integers) return nullptr;
    // For integers neg_lo says whether A and B are signed; its effect on others is not documented for this target.
    if (instruction.neg_hi || (instruction.neg_lo & (row.integers ? 4 : 7))) return nullptr;
    return row.execute;
  }
  return nullptr;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
