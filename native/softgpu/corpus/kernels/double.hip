// Double precision: what the hardware does at once, what it builds (division, square root), and the math library.
#include "device.h"

KERNEL void divide(const double* a, const double* b, double* quotient, double* root, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  quotient[i] = a[i] / b[i];
  root[i] = sqrt(fabs(a[i]));
}

KERNEL void fused(const double* a, const double* b, const double* c, double* out, unsigned n) {
#pragma clang fp contract(off)
  const unsigned i = global_index();
  if (i >= n) return;
  double* mine = out + 6 * i;
  mine[0] = fma(a[i], b[i], c[i]);
  mine[1] = a[i] * b[i] + c[i];
  mine[2] = fmin(a[i], b[i]);
  mine[3] = fmax(a[i], -b[i]);
  mine[4] = a[i] - b[i];
  mine[5] = fabs(a[i]) * -c[i];
}

KERNEL void rounding(const double* a, double* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const double x = a[i];
  double* mine = out + 8 * i;
  int exponent = 0;
  mine[0] = floor(x);
  mine[1] = ceil(x);
  mine[2] = trunc(x);
  mine[3] = rint(x);
  mine[4] = round(x);
  mine[5] = frexp(x, &exponent);
  mine[6] = exponent;
  mine[7] = ldexp(x, exponent - 5);
}

KERNEL void conversions(const double* a, const long* words, double* from, long* to, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  from[4 * i] = static_cast<double>(words[i]);
  from[4 * i + 1] = static_cast<double>(static_cast<unsigned long>(words[i]));
  from[4 * i + 2] = static_cast<double>(static_cast<int>(words[i]));
  from[4 * i + 3] = static_cast<double>(static_cast<float>(a[i]));
  to[4 * i] = static_cast<long>(a[i]);
  to[4 * i + 1] = static_cast<long>(static_cast<unsigned long>(fabs(a[i])));
  to[4 * i + 2] = static_cast<int>(a[i] * 0x1p-32);
  to[4 * i + 3] = __double2ll_rn(a[i]);
}

KERNEL void classes(const double* a, const double* b, int* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const double x = a[i], y = b[i];
  out[i] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | signbit(x) << 3 | (x < y) << 4 | (x == y) << 5 |
           !(x <= y) << 6 | (x != y) << 7;
}

KERNEL void transcendental(const double* a, double* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const double x = a[i];
  double* mine = out + 9 * i;
  sincos(x, &mine[0], &mine[1]);
  mine[2] = exp(x * 0x1p-6);
  mine[3] = log(fabs(x));
  mine[4] = atan2(x, 1.5);
  mine[5] = pow(fabs(x), 0.7);
  mine[6] = tanh(x * 0x1p-9);
  mine[7] = cbrt(x);
  mine[8] = erf(x * 0x1p-8);
}

KERNEL void remainders(const double* a, const double* b, double* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  out[2 * i] = fmod(a[i], b[i]);
  out[2 * i + 1] = remainder(a[i], b[i]);
}
