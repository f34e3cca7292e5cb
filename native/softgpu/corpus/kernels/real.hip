// Single precision: division and square root to the last bit, the math library, conversions, what is special about NaN.
#include "device.h"

KERNEL void divide(const float* a, const float* b, float* quotient, float* root, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  quotient[i] = a[i] / b[i];
  root[i] = sqrtf(fabsf(a[i]));
}

KERNEL void fused(const float* a, const float* b, const float* c, float* out, unsigned n) {
#pragma clang fp contract(off)
  const unsigned i = global_index();
  if (i >= n) return;
  float* mine = out + 8 * i;
  mine[0] = fmaf(a[i], b[i], c[i]);
  mine[1] = a[i] * b[i] + c[i];
  mine[2] = fminf(a[i], b[i]);
  mine[3] = fmaxf(a[i], c[i]);
  mine[4] = fminf(fmaxf(a[i], -1.0f), 1.0f);
  mine[5] = __saturatef(a[i]);
  mine[6] = -fabsf(a[i]) * 2.0f;
  mine[7] = fminf(a[i], fminf(b[i], c[i]));
}

KERNEL void conversions(const float* a, const int* words, int* to, float* from, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  to[5 * i] = static_cast<int>(a[i]);
  to[5 * i + 1] = static_cast<int>(static_cast<unsigned>(fabsf(a[i])));
  to[5 * i + 2] = __float2int_rn(a[i]);
  to[5 * i + 3] = __float2int_ru(a[i]);
  to[5 * i + 4] = static_cast<int>(static_cast<unsigned char>(fabsf(a[i]) * 0x1p-24f));
  from[4 * i] = static_cast<float>(words[i]);
  from[4 * i + 1] = static_cast<float>(static_cast<unsigned>(words[i]));
  from[4 * i + 2] = static_cast<float>(static_cast<unsigned>(words[i]) >> 16 & 255);
  from[4 * i + 3] = static_cast<float>(static_cast<long>(words[i]) * words[(i + 1) % n]);
}

// Packed formats of pixels: steps of a norm, and bytes.
KERNEL void packed(const float* a, const float* b, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[3 * i] = __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pknorm_i16(a[i], b[i]));
  out[3 * i + 1] = __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pknorm_u16(a[i], b[i]));
  unsigned bytes = i;
  for (unsigned k = 0; k < 3; ++k) bytes = __builtin_amdgcn_cvt_pk_u8_f32(a[i] * 200 + k, k, bytes);
  out[3 * i + 2] = bytes;
}

KERNEL void transcendental(const float* a, float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const float x = a[i], positive = fabsf(x);
  float* mine = out + 12 * i;
  sincosf(x, &mine[0], &mine[1]);
  mine[2] = expf(x * 0x1p-3f);
  mine[3] = logf(positive);
  mine[4] = powf(positive, 1.3f);
  mine[5] = tanf(x);
  mine[6] = atan2f(x, 0.7f);
  mine[7] = tanhf(x * 0x1p-5f);
  mine[8] = cbrtf(x);
  mine[9] = erff(x * 0x1p-6f);
  mine[10] = log1pf(positive);
  mine[11] = exp2f(x * 0x1p-3f);
}

KERNEL void special(const float* a, const float* b, int* flags, float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const float x = a[i], y = b[i];
  flags[i] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | signbit(x) << 3 | (x < y) << 4 | (x >= y) << 5 |
             isnormal(x) << 6 | (x == y) << 7;
  int exponent = 0;
  float whole = 0;
  out[6 * i] = frexpf(x, &exponent);
  out[6 * i + 1] = isfinite(x) ? static_cast<float>(exponent) : 0;
  out[6 * i + 2] = ldexpf(x, -37);
  out[6 * i + 3] = fmodf(x, y);
  out[6 * i + 4] = copysignf(modff(x, &whole), y);
  out[6 * i + 5] = nextafterf(x, y);
}

// The fast forms: one or two instructions each, with errors to match.
KERNEL void fast(const float* a, float* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const float x = a[i];
  out[6 * i] = __expf(x);
  out[6 * i + 1] = __logf(x);
  out[6 * i + 2] = __sinf(x);
  out[6 * i + 3] = __powf(x, 0.5f);
  out[6 * i + 4] = rsqrtf(x);
  out[6 * i + 5] = __fdividef(1.0f, x);
}
