// Sparse matrix fused multiply-add of gfx942: D = A * B + D. A holds two of every four elements of a row, each with an
// index of 2 bits that says which. EXEC and MODE have no effect.
//
// Placement of elements (AMD matrix instruction calculator, CDNA3): a lane of A holds elements of row lane % size that
// stand for twice as many k from 2 * per * (lane / size) on, a lane of B all of those of a column, and the register of
// indices in a lane those of its elements of A: the first of a pair in the lower bits. abid selects one of the sets in
// that register, unless cbsz is set: then it is the first. Sums as in mfma.cpp.
#include "softgpu/engine/vector/matrix_elements.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

template <class Element, unsigned kSize, unsigned kDepth>
void multiply_sparse(Wave& wave, const Instruction& instruction) {
  using Sum = typename Element::Sum;
  constexpr unsigned per = Element::kPerLane, results = kSize * kSize / kLanes, kRows = kRowsAtOnce<kSize>;
  static_assert(kSize * kDepth / (2 * per) == kLanes, "A fills the lanes");
  const auto file = [&](const Operand& o) { return (o.kind == Operand::Kind::kAgpr ? wave.agpr : wave.vgpr)[o.index]; };
  const uint32_t *a_planes = file(instruction.src[0]), *b_planes = file(instruction.src[1]);
  const uint32_t* indices = file(instruction.src[2]);
  const unsigned set = instruction.cbsz != 0 ? 0 : instruction.abid * per * 2;

  alignas(64) Factor<Element> a[per][kLanes], b[2 * per][kLanes];
  load_a<Element>(a_planes, a);
  load_b<Element>(b_planes, b);

  // D may be a source: everything is computed before anything is written.
  uint32_t* d_planes = file(instruction.dst[0]);
  alignas(64) uint32_t d[results * kLanes];
  for (unsigned i = 0; i < kSize; i += kRows) {
    alignas(64) Sum rows[kRows][kSize];
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned j = 0; j < kSize; ++j) {
        const Place at = place<kSize, 1, false>(0, i + r, j);
        rows[r][j] = load_sum<Sum>(d_planes + at.result * kLanes, at.lane);
      }
    }
    const auto lane_of_a = [i](unsigned r, unsigned k) { return kSize * (k / per) + i + r; };
    add_products_of<kDepth / 2, Element, kSize>(
        rows, [&](unsigned r, unsigned k) { return a[k % per][lane_of_a(r, k)]; },
        [&](unsigned r, unsigned k) {
          const unsigned depth = k / 2 * 4 + (indices[lane_of_a(r, k)] >> (set + 2 * (k % per)) & 3);
          return b[depth % (2 * per)] + kSize * (depth / (2 * per));
        });
    for (unsigned r = 0; r < kRows; ++r) {
      for (unsigned j = 0; j < kSize; ++j) {
        const Place at = place<kSize, 1, false>(0, i + r, j);
        store_sum<Sum>(d + at.result * kLanes, at.lane, rows[r][j]);
      }
    }
  }
  __builtin_memcpy(d_planes, d, sizeof d);
}

struct SparseRow {
  Op op;
  ExecuteFn execute;
  unsigned sets;  // sets of indices in a register
};

template <class Element, unsigned kSize, unsigned kDepth>
constexpr SparseRow sparse(Op op) {
  return {op, multiply_sparse<Element, kSize, kDepth>, 32 / (2 * Element::kPerLane)};
}

constexpr SparseRow kRows[] = {
    sparse<HalfElement<false>, 16, 32>(Op::v_smfmac_f32_16x16x32_f16),
    sparse<HalfElement<false>, 32, 16>(Op::v_smfmac_f32_32x32x16_f16),
    sparse<BrainElement<4, false>, 16, 32>(Op::v_smfmac_f32_16x16x32_bf16),
    sparse<BrainElement<4, false>, 32, 16>(Op::v_smfmac_f32_32x32x16_bf16),
    sparse<ByteElement<8>, 16, 64>(Op::v_smfmac_i32_16x16x64_i8),
    sparse<ByteElement<8>, 32, 32>(Op::v_smfmac_i32_32x32x32_i8),
    sparse<Float8Element<kBf8, kBf8>, 16, 64>(Op::v_smfmac_f32_16x16x64_bf8_bf8),
    sparse<Float8Element<kBf8, kFp8>, 16, 64>(Op::v_smfmac_f32_16x16x64_bf8_fp8),
    sparse<Float8Element<kFp8, kBf8>, 16, 64>(Op::v_smfmac_f32_16x16x64_fp8_bf8),
    sparse<Float8Element<kFp8, kFp8>, 16, 64>(Op::v_smfmac_f32_16x16x64_fp8_fp8),
    sparse<Float8Element<kBf8, kBf8>, 32, 32>(Op::v_smfmac_f32_32x32x32_bf8_bf8),
    sparse<Float8Element<kBf8, kFp8>, 32, 32>(Op::v_smfmac_f32_32x32x32_bf8_fp8),
    sparse<Float8Element<kFp8, kBf8>, 32, 32>(Op::v_smfmac_f32_32x32x32_fp8_bf8),
    sparse<Float8Element<kFp8, kFp8>, 32, 32>(Op::v_smfmac_f32_32x32x32_fp8_fp8),
};

}  // namespace

ExecuteFn select_smfmac(const Instruction& instruction) {
  for (const SparseRow& row : kRows) {
    if (row.op != instruction.op) continue;
    if (instruction.dst_count != 1 || instruction.src_count != 3) return nullptr;
    const bool names_no_set = instruction.cbsz == 0 && instruction.abid >= row.sets;
    return names_no_set ? nullptr : row.execute;
  }
  return nullptr;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
