// 64-bit shifts. (64-bit sums are pairs of 32-bit carries: carry.cpp.)
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

constexpr Row kRows[] = {
    row<U64(U32, U64)>(Op::v_lshlrev_b64, [](uint32_t a, uint64_t b) { return b << (a & 63); }),
    row<U64(U32, U64)>(Op::v_lshrrev_b64, [](uint32_t a, uint64_t b) { return b >> (a & 63); }),
    row<I64(U32, I64)>(Op::v_ashrrev_i64, [](uint32_t a, int64_t b) { return b >> (a & 63); }),
};

}  // namespace

RowTable integer64_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
