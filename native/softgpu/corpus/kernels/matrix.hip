// MFMA, matrix instructions of gfx90a and gfx942: one wave multiplies small matrices. The host fills and reads the
// registers by the layouts that AMD documents ("AMD matrix instruction calculator").
#include "device.h"

template <typename T, int n>
struct Vector {
  typedef T type __attribute__((ext_vector_type(n)));
};
template <typename T>
struct Vector<T, 1> {
  typedef T type;
};

// A lane's operands and accumulators lie one after the other.
#define MFMA_KERNEL(name, Operand, operands, Sum, sums, instruction)                                   \
  KERNEL void name(const Vector<Operand, operands>::type* a, const Vector<Operand, operands>::type* b, \
                   const Vector<Sum, sums>::type* c, Vector<Sum, sums>::type* out) {                   \
    const unsigned lane = threadIdx.x;                                                                 \
    out[lane] = __builtin_amdgcn_mfma_##instruction(a[lane], b[lane], c[lane], 0, 0, 0);               \
  }

MFMA_KERNEL(f32_32x32x2, float, 1, float, 16, f32_32x32x2f32)
MFMA_KERNEL(f32_16x16x4, float, 1, float, 4, f32_16x16x4f32)
MFMA_KERNEL(f32_4x4x1, float, 1, float, 4, f32_4x4x1f32)
MFMA_KERNEL(f16_32x32x8, _Float16, 4, float, 16, f32_32x32x8f16)
MFMA_KERNEL(f16_16x16x16, _Float16, 4, float, 4, f32_16x16x16f16)
MFMA_KERNEL(f16_4x4x4, _Float16, 4, float, 4, f32_4x4x4f16)
MFMA_KERNEL(bf16_32x32x8, short, 4, float, 16, f32_32x32x8bf16_1k)
MFMA_KERNEL(bf16_16x16x16, short, 4, float, 4, f32_16x16x16bf16_1k)
MFMA_KERNEL(f64_16x16x4, double, 1, double, 4, f64_16x16x4f64)

#if !defined(__gfx942__)  // which has their deeper forms instead
MFMA_KERNEL(bf16_32x32x4, short, 2, float, 16, f32_32x32x4bf16)
// Four signed bytes a register.
KERNEL void i8_32x32x8(const int* a, const int* b, const Vector<int, 16>::type* c, Vector<int, 16>::type* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __builtin_amdgcn_mfma_i32_32x32x8i8(a[lane], b[lane], c[lane], 0, 0, 0);
}
KERNEL void i8_16x16x16(const int* a, const int* b, const Vector<int, 4>::type* c, Vector<int, 4>::type* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = __builtin_amdgcn_mfma_i32_16x16x16i8(a[lane], b[lane], c[lane], 0, 0, 0);
}
#endif

// C = A * B of any size in multiples of 16, as libraries use MFMA: a wave a tile, accumulators kept over the loop.
KERNEL void gemm(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k) {
  const unsigned lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
  Vector<float, 4>::type sum = {0, 0, 0, 0};
  for (unsigned step = 0; step < k; step += 4) {
    const float left = a[(row + lane % 16) * k + step + lane / 16],
                right = b[(step + lane / 16) * n + column + lane % 16];
    sum = __builtin_amdgcn_mfma_f32_16x16x4f32(left, right, sum, 0, 0, 0);
  }
  for (unsigned i = 0; i < 4; ++i) c[(row + lane / 16 * 4 + i) * n + column + lane % 16] = sum[i];
}
