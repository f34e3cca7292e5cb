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
  using Value = float;
  static Value load(const uint32_t* p, unsigned lane, unsigned k, bool) {
    return half_to_float((p[k / 2 * kLanes + lane] >> (16 * (k & 1))) & 0xffffu);
  }
};
struct BrainFactor {
  using Value = float;
  static Value load(const uint32_t* p, unsigned lane, unsigned k, bool) {
    return as_float((p[k / 2 * kLanes + lane] >> (16 * (k & 1))) << 16);
  }
};
template <unsigned kBits>
struct IntegerFactor {
  using Value = uint32_t;
  static Value load(const uint32_t* p, unsigned lane, unsigned k, bool is_signed) {
    constexpr unsigned per = 32 / kBits;
    const uint32_t top = p[k / per * kLanes + lane] << (32 - kBits - k % per * kBits);
    return is_signed ? static_cast<uint32_t>(static_cast<int32_t>(top) >> (32 - kBits)) : top >> (32 - kBits);
  }
};

// Elements of C and D.
struct SingleSum {
  static float load(uint32_t word, unsigned) { return as_float(word); }
  static uint32_t store(float v, uint32_t, uint32_t, const Instruction&) { return is_nan(v) ? kDefaultNan32 : bits(v); }
};
struct HalfSum {
  static unsigned shift(unsigned op_sel) { return op_sel & 4 ? 16 : 0; }
  static float load(uint32_t word, unsigned op_sel) { return half_to_float(word >> shift(op_sel) & 0xffffu); }
  static uint32_t store(float v, uint32_t, uint32_t old, const Instruction& instruction) {
    const unsigned at = shift(instruction.op_sel);
    const uint32_t half = is_nan(v) ? 0x7e00u : float_to_half(v);
    return (old & ~(0xffffu << at)) | half << at;
  }
};
// 16 products fit into 32 bits; with C they may not, which clamp looks at.
struct IntegerSum {
  static uint32_t load(uint32_t, unsigned) { return 0; }
  static uint32_t store(uint32_t products, uint32_t word, uint32_t, const Instruction& instruction) {
    const int64_t v = int64_t{static_cast<int32_t>(word)} + static_cast<int32_t>(products);
    return static_cast<uint32_t>(instruction.clamp ? std::clamp<int64_t>(v, INT32_MIN, INT32_MAX) : v);
  }
};

template <class Factor, class Result>
void multiply(Wave& wave, const Instruction& instruction) {
  using Number = typename Factor::Value;
  const uint32_t *a_planes = wave.vgpr[instruction.src[0].index], *b_planes = wave.vgpr[instruction.src[1].index];
  alignas(64) Number a[kSize][kSize], b[kSize][kSize];  // by k, then by lane
  for (unsigned k = 0; k < kSize; ++k) {
    for (unsigned lane = 0; lane < kSize; ++lane) a[k][lane] = Factor::load(a_planes, lane, k, instruction.neg_lo & 1);
    for (unsigned lane = 0; lane < kSize; ++lane) b[k][lane] = Factor::load(b_planes, lane, k, instruction.neg_lo & 2);
  }

  const Operand& c = instruction.src[2];
  uint32_t* d_planes = wave.vgpr[instruction.dst[0].index];
  const unsigned registers = instruction.dst[0].dwords, groups = kSize / registers;
  // D may be C: everything is computed before anything is written.
  alignas(64) uint32_t d[8 * kLanes];
  __builtin_memcpy(d, d_planes, registers * sizeof(VectorRegister));
  constexpr unsigned kRows = kRowsAtOnce<kSize>;
  for (unsigned i = 0; i < kSize; i += kRows) {
    typename Factor::Value rows[kRows][kSize];
    uint32_t words[kRows][kSize], *out[kRows];
    for (unsigned r = 0; r < kRows; ++r) {
      const unsigned first = (i + r) / groups * kLanes + (i + r) % groups * kSize;
      out[r] = d + first;
      for (unsigned j = 0; j < kSize; ++j)
        words[r][j] = c.kind == Kind::kConstant ? static_cast<uint32_t>(c.value) : wave.vgpr[c.index][first + j];
      for (unsigned j = 0; j < kSize; ++j) rows[r][j] = Result::load(words[r][j], instruction.op_sel);
    }
    add_products<kSize, kSize>(
        rows, [&](unsigned r, unsigned k) { return a[k][i + r]; }, [&](unsigned, unsigned k) { return b[k]; });
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned j = 0; j < kSize; ++j) out[r][j] = Result::store(rows[r][j], words[r][j], out[r][j], instruction);
    }
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
