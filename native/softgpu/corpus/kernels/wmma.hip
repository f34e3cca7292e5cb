// WMMA, the matrix instructions of gfx1100: one wave of 32 lanes multiplies matrices of 16 x 16. Fragments are filled
// and stored by the layouts that AMD publishes ("How to accelerate AI applications on RDNA 3 using WMMA", GPUOpen).
#include "device.h"

typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef short short16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef int int2v __attribute__((ext_vector_type(2)));
typedef int int4v __attribute__((ext_vector_type(4)));
typedef int int8v __attribute__((ext_vector_type(8)));

// Row `lane` of A, or column `lane` of B, of which 16 elements fill a lane; lanes from 16 on hold them again.
template <typename Fragment, typename Element>
__device__ Fragment row_of(const Element* matrix) {
  Fragment fragment;
  for (unsigned k = 0; k < 16; ++k) fragment[k] = matrix[threadIdx.x % 16 * 16 + k];
  return fragment;
}
template <typename Fragment, typename Element>
__device__ Fragment column_of(const Element* matrix) {
  Fragment fragment;
  for (unsigned k = 0; k < 16; ++k) fragment[k] = matrix[k * 16 + threadIdx.x % 16];
  return fragment;
}
__device__ unsigned place(unsigned element) {
  return (2 * element + threadIdx.x / 16) * 16 + threadIdx.x % 16;
}

template <typename Fragment, typename Element>
__device__ Fragment sums_of(const Element* matrix) {
  Fragment fragment;
  for (unsigned k = 0; k < 8; ++k) fragment[k] = matrix[place(k)];
  return fragment;
}

KERNEL void f32_f16(const _Float16* a, const _Float16* b, const float* c, float* d) {
  const float8 sums =
      __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(row_of<half16>(a), column_of<half16>(b), sums_of<float8>(c));
  for (unsigned k = 0; k < 8; ++k) d[place(k)] = sums[k];
}

KERNEL void f32_bf16(const short* a, const short* b, const float* c, float* d) {
  const float8 sums =
      __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(row_of<short16>(a), column_of<short16>(b), sums_of<float8>(c));
  for (unsigned k = 0; k < 8; ++k) d[place(k)] = sums[k];
}

// Sums in the low or in the high halves of registers, whose others stay as they were.
template <bool high>
__device__ void multiply_halves(const _Float16* a, const _Float16* b, const _Float16* c, _Float16* d,
                                _Float16* others) {
  half16 sums;
  for (unsigned k = 0; k < 8; ++k) {
    sums[2 * k + high] = c[place(k)];
    sums[2 * k + !high] = static_cast<_Float16>(static_cast<int>(place(k)));
  }
  sums = __builtin_amdgcn_wmma_f16_16x16x16_f16_tied_w32(row_of<half16>(a), column_of<half16>(b), sums, high);
  for (unsigned k = 0; k < 8; ++k) {
    d[place(k)] = sums[2 * k + high];
    others[place(k)] = sums[2 * k + !high];
  }
}
KERNEL void f16_low(const _Float16* a, const _Float16* b, const _Float16* c, _Float16* d, _Float16* others) {
  multiply_halves<false>(a, b, c, d, others);
}
KERNEL void f16_high(const _Float16* a, const _Float16* b, const _Float16* c, _Float16* d, _Float16* others) {
  multiply_halves<true>(a, b, c, d, others);
}

// Packed integers: A by rows, B by columns.
template <bool signed_a, bool signed_b, bool clamp>
__device__ void multiply_bytes(const int4v* a, const int4v* b, const int* c, int* d) {
  const unsigned lane = threadIdx.x % 16;
  const int8v sums =
      __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(signed_a, a[lane], signed_b, b[lane], sums_of<int8v>(c), clamp);
  for (unsigned k = 0; k < 8; ++k) d[place(k)] = sums[k];
}
template <bool signed_a, bool signed_b, bool clamp>
__device__ void multiply_nibbles(const int2v* a, const int2v* b, const int* c, int* d) {
  const unsigned lane = threadIdx.x % 16;
  const int8v sums =
      __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(signed_a, a[lane], signed_b, b[lane], sums_of<int8v>(c), clamp);
  for (unsigned k = 0; k < 8; ++k) d[place(k)] = sums[k];
}
#define INTEGER_KERNELS(suffix, signed_a, signed_b, clamp)                        \
  KERNEL void i8_##suffix(const int4v* a, const int4v* b, const int* c, int* d) { \
    multiply_bytes<signed_a, signed_b, clamp>(a, b, c, d);                        \
  }                                                                               \
  KERNEL void i4_##suffix(const int2v* a, const int2v* b, const int* c, int* d) { \
    multiply_nibbles<signed_a, signed_b, clamp>(a, b, c, d);                      \
  }
INTEGER_KERNELS(ss, true, true, false)
INTEGER_KERNELS(su, true, false, false)
INTEGER_KERNELS(us, false, true, false)
INTEGER_KERNELS(uu, false, false, false)
INTEGER_KERNELS(clamped, true, true, true)

// C = A * B of any size in multiples of 16, a wave a tile.
KERNEL void gemm(const _Float16* a, const _Float16* b, float* c, unsigned m, unsigned n, unsigned depth) {
  const unsigned lane = threadIdx.x % 16, row = blockIdx.y * 16, column = blockIdx.x * 16;
  float8 sums = {};
  for (unsigned step = 0; step < depth; step += 16) {
    half16 left, right;
    for (unsigned k = 0; k < 16; ++k) {
      left[k] = a[(row + lane) * depth + step + k];
      right[k] = b[(step + k) * n + column + lane];
    }
    sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(left, right, sums);
  }
  for (unsigned k = 0; k < 8; ++k) c[(row + place(k) / 16) * n + column + lane] = sums[k];
}
