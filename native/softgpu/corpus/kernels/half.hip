// Half precision, alone and in pairs.
#include "device.h"

#include <hip/hip_fp16.h>

KERNEL void arithmetic(const __half* a, const __half* b, const __half* c, __half* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  __half* mine = out + 8 * i;
  mine[0] = __hadd(a[i], b[i]);
  mine[1] = __hsub(a[i], b[i]);
  mine[2] = __hmul(a[i], b[i]);
  mine[3] = __hfma(a[i], b[i], c[i]);
  mine[4] = __hdiv(a[i], b[i]);
  mine[5] = hsqrt(__habs(a[i]));
  mine[6] = __hneg(a[i]);
  mine[7] = hrint(a[i]);
}

KERNEL void packed(const __half2* a, const __half2* b, const __half2* c, __half2* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  __half2* mine = out + 5 * i;
  mine[0] = __hadd2(a[i], b[i]);
  mine[1] = __hmul2(a[i], b[i]);
  mine[2] = __hfma2(a[i], b[i], c[i]);
  mine[3] = __hsub2(__lowhigh2highlow(a[i]), b[i]);
  mine[4] = __hfma2(__low2half2(a[i]), __high2half2(b[i]), __hneg2(c[i]));
}

KERNEL void comparisons(const __half* a, const __half* b, int* out, __half* chosen, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[i] = __heq(a[i], b[i]) | __hlt(a[i], b[i]) << 1 | __hge(a[i], b[i]) << 2 | __hne(a[i], b[i]) << 3 |
           __hisnan(a[i]) << 4 | __hgtu(a[i], b[i]) << 5;
  const _Float16 x = a[i], y = b[i];
  chosen[2 * i] = __builtin_fminf16(x, y);
  chosen[2 * i + 1] = __builtin_fmaxf16(x, y);
}

KERNEL void conversions(const float* a, const int* words, __half* halves, float* floats, int* integers, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  halves[4 * i] = __float2half(a[i]);
  const auto toward_zero = __builtin_amdgcn_cvt_pkrtz(a[i], 0);  // __float2half_rz of these headers rounds to nearest
  halves[4 * i + 1] = static_cast<__half>(static_cast<_Float16>(toward_zero[0]));
  halves[4 * i + 2] = __int2half_rn(words[i]);
  halves[4 * i + 3] = __ushort2half_rn(static_cast<unsigned short>(words[i]));
  const __half x = __float2half(a[i] * 0x1p-4f);
  floats[i] = __half2float(x);
  integers[2 * i] = __half2int_rz(x);
  integers[2 * i + 1] = __half2short_rz(x);
}

KERNEL void transcendental(const __half* a, __half* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const __half x = __habs(a[i]);
  __half* mine = out + 7 * i;
  // hsin and hcos of Debian's ocml return NaN for every finite argument: the instructions, which take revolutions.
  const _Float16 turns = static_cast<_Float16>(a[i]) * static_cast<_Float16>(0.0625f);
  mine[0] = static_cast<__half>(static_cast<_Float16>(__builtin_amdgcn_sinh(turns)));
  mine[1] = static_cast<__half>(static_cast<_Float16>(__builtin_amdgcn_cosh(turns)));
  mine[2] = hexp(a[i]);
  mine[3] = hlog(x);
  mine[4] = hlog2(x);
  mine[5] = hrsqrt(x);
  mine[6] = static_cast<__half>(__builtin_amdgcn_rcph(static_cast<_Float16>(a[i])));
}

typedef _Float16 half_pair __attribute__((ext_vector_type(2)));
KERNEL void dot(const half_pair* a, const half_pair* b, float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  float sum = 0;
  for (unsigned k = 0; k < 16; ++k) sum = __builtin_amdgcn_fdot2(a[(i + k) % n], b[(i + 3 * k) % n], sum, false);
  out[i] = sum;
}

// Halves stored, floats summed, as networks are computed.
KERNEL void mixed(const __half* a, const __half* b, __half* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  float sum = 0;
  for (unsigned k = 0; k < 32; ++k) sum = fmaf(__half2float(a[(i + k) % n]), __half2float(b[(i + 7 * k) % n]), sum);
  out[i] = __float2half(sum);
}
