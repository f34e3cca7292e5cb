// Matrix fused multiply-add: D = A * B + C for `blocks` independent M x N matrices, spread over all 64 lanes. EXEC and
// MODE have no effect.
//
// Placement of elements (AMD matrix instruction calculator, CDNA2): A[i][k] of block b in lane i + M * (b + blocks * (k
// / per)), element k % per of that lane's operand; B[k][j] likewise with j. A lane of C and D holds rows of one column:
// see place(). Arithmetic: products are summed over k in ascending order, each sum rounded to nearest even; the
// hardware's order within an instruction is not documented, so low bits may differ from it. The f16 and bf16 forms of
// gfx90a flush denormals, inputs and results (as AMD states for MI200, and for no later one); all others keep them.
#include "softgpu/engine/vector/matrix_elements.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

using Kind = Operand::Kind;

// The lane whose A replaces that of `lane`: cbsz makes 2^cbsz blocks share the one that abid names.
unsigned a_lane(const Instruction& instruction, unsigned lane, unsigned rows, unsigned blocks) {
  const unsigned block = lane / rows % blocks, group = 1u << instruction.cbsz;
  const unsigned source = (block & ~(group - 1)) + instruction.abid;
  return lane + (source - block) * rows;
}
// Likewise for B: blgp moves groups of lanes.
unsigned b_lane(unsigned blgp, unsigned lane) {
  switch (blgp) {
    case 0:
      return lane;
    case 1:
      return lane % 32;
    case 2:
      return 32 + lane % 32;
    case 3:
      return (lane + 16) % kLanes;
    default:
      return 16 * (blgp - 4) + lane % 16;
  }
}

template <class Number, unsigned kElements, class Source>
void move_lanes(Number (&values)[kElements][kLanes], const Source& source) {
  Number before[kLanes];
  for (Number(&element)[kLanes] : values) {
    __builtin_memcpy(before, element, sizeof before);
    for (unsigned lane = 0; lane < kLanes; ++lane) element[lane] = before[source(lane)];
  }
}

template <class Element, unsigned kSize, unsigned kDepth, unsigned kBlocks>
void multiply(Wave& wave, const Instruction& instruction) {
  using Sum = typename Element::Sum;
  constexpr unsigned per = Element::kPerLane, dwords = Element::kResultDwords;
  static_assert(kSize * kBlocks * kDepth / per == kLanes, "A fills the lanes");
  constexpr unsigned results = kSize * kSize * kBlocks / kLanes, kRows = kRowsAtOnce<kSize>;
  const auto file = [&](const Operand& o) { return (o.kind == Kind::kAgpr ? wave.agpr : wave.vgpr)[o.index]; };
  const uint32_t *a_planes = file(instruction.src[0]), *b_planes = file(instruction.src[1]);

  alignas(64) Factor<Element> a[per][kLanes], b[per][kLanes];
  load_a<Element>(a_planes, a);
  load_b<Element>(b_planes, b);
  if (instruction.cbsz) move_lanes(a, [&](unsigned lane) { return a_lane(instruction, lane, kSize, kBlocks); });
  if (instruction.blgp) move_lanes(b, [&](unsigned lane) { return b_lane(instruction.blgp, lane); });

  const Operand& c = instruction.src[2];
  const bool constant = c.kind == Kind::kConstant;
  const uint32_t* c_planes = constant ? nullptr : file(c);
  uint32_t* d_planes = file(instruction.dst[0]);
  Sum constant_sum{};
  if (constant) __builtin_memcpy(&constant_sum, &c.value, sizeof constant_sum);

  // Rows of C are read before the same ones of D are written: only a D that is a part of C waits for the whole of it.
  constexpr unsigned size = results * dwords * kLanes;
  alignas(64) uint32_t kept[size];
  const bool is_part = !constant && c_planes != d_planes && c_planes < d_planes + size && d_planes < c_planes + size;
  uint32_t* const d = is_part ? kept : d_planes;
  for (unsigned block = 0; block < kBlocks; ++block) {
    const auto first_lane = [block](unsigned k) { return kSize * (block + kBlocks * (k / per)); };
    for (unsigned i = 0; i < kSize; i += kRows) {
      alignas(64) Sum rows[kRows][kSize];
      for (unsigned r = 0; r < kRows; ++r) {
        for (unsigned j = 0; j < kSize; ++j) {
          const Place at = place<kSize, kBlocks, dwords == 2>(block, i + r, j);
          rows[r][j] = constant ? constant_sum : load_sum<Sum>(c_planes + at.result * dwords * kLanes, at.lane);
          if constexpr (Element::kFlushes) rows[r][j] = flush_denormal(rows[r][j]);
        }
      }
      add_products_of<kDepth, Element, kSize>(
          rows, [&](unsigned r, unsigned k) { return a[k % per][first_lane(k) + i + r]; },
          [&](unsigned, unsigned k) { return b[k % per] + first_lane(k); });
      for (unsigned r = 0; r < kRows; ++r) {
        for (unsigned j = 0; j < kSize; ++j) {
          const Place at = place<kSize, kBlocks, dwords == 2>(block, i + r, j);
          if constexpr (Element::kFlushes) rows[r][j] = flush_denormal(rows[r][j]);
          store_sum<Sum>(d + at.result * dwords * kLanes, at.lane, rows[r][j]);
        }
      }
    }
  }
  if (is_part) __builtin_memcpy(d_planes, kept, sizeof kept);
}

struct MatrixRow {
  Op op;
  ExecuteFn execute;
  unsigned blocks;
  bool doubles;
};

template <class Element, unsigned kSize, unsigned kDepth, unsigned kBlocks>
constexpr MatrixRow matrix(Op op) {
  return {op, multiply<Element, kSize, kDepth, kBlocks>, kBlocks, Element::kResultDwords == 2};
}

constexpr MatrixRow kRows[] = {
    matrix<SingleElement, 32, 1, 2>(Op::v_mfma_f32_32x32x1f32),
    matrix<SingleElement, 16, 1, 4>(Op::v_mfma_f32_16x16x1f32),
    matrix<SingleElement, 4, 1, 16>(Op::v_mfma_f32_4x4x1f32),
    matrix<SingleElement, 32, 2, 1>(Op::v_mfma_f32_32x32x2f32),
    matrix<SingleElement, 16, 4, 1>(Op::v_mfma_f32_16x16x4f32),
    matrix<HalfElement<true>, 32, 4, 2>(Op::v_mfma_f32_32x32x4f16),
    matrix<HalfElement<true>, 16, 4, 4>(Op::v_mfma_f32_16x16x4f16),
    matrix<HalfElement<true>, 4, 4, 16>(Op::v_mfma_f32_4x4x4f16),
    matrix<HalfElement<true>, 32, 8, 1>(Op::v_mfma_f32_32x32x8f16),
    matrix<HalfElement<true>, 16, 16, 1>(Op::v_mfma_f32_16x16x16f16),
    matrix<BrainElement<4>, 32, 4, 2>(Op::v_mfma_f32_32x32x4bf16_1k),
    matrix<BrainElement<4>, 16, 4, 4>(Op::v_mfma_f32_16x16x4bf16_1k),
    matrix<BrainElement<4>, 4, 4, 16>(Op::v_mfma_f32_4x4x4bf16_1k),
    matrix<BrainElement<4>, 32, 8, 1>(Op::v_mfma_f32_32x32x8bf16_1k),
    matrix<BrainElement<4>, 16, 16, 1>(Op::v_mfma_f32_16x16x16bf16_1k),
    matrix<BrainElement<2>, 32, 2, 2>(Op::v_mfma_f32_32x32x2bf16),
    matrix<BrainElement<2>, 16, 2, 4>(Op::v_mfma_f32_16x16x2bf16),
    matrix<BrainElement<2>, 4, 2, 16>(Op::v_mfma_f32_4x4x2bf16),
    matrix<BrainElement<2>, 32, 4, 1>(Op::v_mfma_f32_32x32x4bf16),
    matrix<BrainElement<2>, 16, 8, 1>(Op::v_mfma_f32_16x16x8bf16),
    matrix<ByteElement<4>, 32, 4, 2>(Op::v_mfma_i32_32x32x4i8),
    matrix<ByteElement<4>, 16, 4, 4>(Op::v_mfma_i32_16x16x4i8),
    matrix<ByteElement<4>, 4, 4, 16>(Op::v_mfma_i32_4x4x4i8),
    matrix<ByteElement<4>, 32, 8, 1>(Op::v_mfma_i32_32x32x8i8),
    matrix<ByteElement<4>, 16, 16, 1>(Op::v_mfma_i32_16x16x16i8),
    matrix<DoubleElement, 16, 4, 1>(Op::v_mfma_f64_16x16x4f64),
    matrix<DoubleElement, 4, 4, 4>(Op::v_mfma_f64_4x4x4f64),
    // gfx942
    matrix<HalfElement<false>, 32, 4, 2>(Op::v_mfma_f32_32x32x4_2b_f16),
    matrix<BrainElement<4, false>, 32, 4, 2>(Op::v_mfma_f32_32x32x4_2b_bf16),
    matrix<HalfElement<false>, 16, 4, 4>(Op::v_mfma_f32_16x16x4_4b_f16),
    matrix<BrainElement<4, false>, 16, 4, 4>(Op::v_mfma_f32_16x16x4_4b_bf16),
    matrix<HalfElement<false>, 4, 4, 16>(Op::v_mfma_f32_4x4x4_16b_f16),
    matrix<BrainElement<4, false>, 4, 4, 16>(Op::v_mfma_f32_4x4x4_16b_bf16),
    matrix<HalfElement<false>, 32, 8, 1>(Op::v_mfma_f32_32x32x8_f16),
    matrix<BrainElement<4, false>, 32, 8, 1>(Op::v_mfma_f32_32x32x8_bf16),
    matrix<HalfElement<false>, 16, 16, 1>(Op::v_mfma_f32_16x16x16_f16),
    matrix<BrainElement<4, false>, 16, 16, 1>(Op::v_mfma_f32_16x16x16_bf16),
    matrix<XSingleElement, 32, 4, 1>(Op::v_mfma_f32_32x32x4_xf32),
    matrix<XSingleElement, 16, 8, 1>(Op::v_mfma_f32_16x16x8_xf32),
    matrix<ByteElement<8>, 32, 16, 1>(Op::v_mfma_i32_32x32x16_i8),
    matrix<ByteElement<8>, 16, 32, 1>(Op::v_mfma_i32_16x16x32_i8),
    matrix<Float8Element<kBf8, kBf8>, 16, 32, 1>(Op::v_mfma_f32_16x16x32_bf8_bf8),
    matrix<Float8Element<kBf8, kFp8>, 16, 32, 1>(Op::v_mfma_f32_16x16x32_bf8_fp8),
    matrix<Float8Element<kFp8, kBf8>, 16, 32, 1>(Op::v_mfma_f32_16x16x32_fp8_bf8),
    matrix<Float8Element<kFp8, kFp8>, 16, 32, 1>(Op::v_mfma_f32_16x16x32_fp8_fp8),
    matrix<Float8Element<kBf8, kBf8>, 32, 16, 1>(Op::v_mfma_f32_32x32x16_bf8_bf8),
    matrix<Float8Element<kBf8, kFp8>, 32, 16, 1>(Op::v_mfma_f32_32x32x16_bf8_fp8),
    matrix<Float8Element<kFp8, kBf8>, 32, 16, 1>(Op::v_mfma_f32_32x32x16_fp8_bf8),
    matrix<Float8Element<kFp8, kFp8>, 32, 16, 1>(Op::v_mfma_f32_32x32x16_fp8_fp8),
};

bool is_register(const Operand& operand) {
  return operand.kind == Kind::kVgpr || operand.kind == Kind::kAgpr;
}

}  // namespace

ExecuteFn select_mfma(const Instruction& instruction) {
  for (const MatrixRow& row : kRows) {
    if (row.op != instruction.op) continue;
    if (instruction.dst_count != 1 || instruction.src_count != 3 || !is_register(instruction.dst[0])) return nullptr;
    if (!is_register(instruction.src[0]) || !is_register(instruction.src[1])) return nullptr;
    if (!is_register(instruction.src[2]) && instruction.src[2].kind != Kind::kConstant) return nullptr;
    if (instruction.clamp || instruction.omod || instruction.op_sel || instruction.neg_lo || instruction.neg_hi)
      return nullptr;
    // Broadcasts between blocks need blocks; the f64 forms have neither modifier.
    if (row.doubles && (instruction.cbsz || instruction.abid || instruction.blgp)) return nullptr;
    if ((1u << instruction.cbsz) > row.blocks || instruction.abid >= (1u << instruction.cbsz)) return nullptr;
    return row.execute;
  }
  return nullptr;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
