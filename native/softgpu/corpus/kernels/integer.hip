// Integers of 8 to 128 bits: arithmetic that a GPU builds from several instructions, and its bit operations.
#include "device.h"

KERNEL void divide32(const int* a, const int* b, int* quotient, int* remainder, unsigned* uquotient, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  quotient[i] = a[i] / b[i];
  remainder[i] = a[i] % b[i];
  uquotient[i] = static_cast<unsigned>(a[i]) / static_cast<unsigned>(b[i]);
}

KERNEL void divide64(const long* a, const long* b, long* quotient, long* remainder, unsigned long* uquotient,
                     unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  quotient[i] = a[i] / b[i];
  remainder[i] = a[i] % b[i];
  uquotient[i] = static_cast<unsigned long>(a[i]) / static_cast<unsigned long>(b[i]);
}

KERNEL void multiply64(const unsigned long* a, const unsigned long* b, unsigned long* low, unsigned long* high,
                       long* shigh, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  low[i] = a[i] * b[i];
  high[i] = __umul64hi(a[i], b[i]);
  shigh[i] = __mul64hi(static_cast<long>(a[i]), static_cast<long>(b[i]));
}

KERNEL void shifts64(const unsigned long* a, const unsigned* by, unsigned long* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const unsigned s = by[i] & 63;
  out[4 * i] = a[i] << s;
  out[4 * i + 1] = a[i] >> s;
  out[4 * i + 2] = static_cast<unsigned long>(static_cast<long>(a[i]) >> s);
  out[4 * i + 3] = a[i] << s | a[i] >> ((64 - s) & 63);
}

KERNEL void bits(const unsigned* a, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const unsigned x = a[i], y = a[(i + 1) % n];
  unsigned* mine = out + 8 * i;
  mine[0] = static_cast<unsigned>(__popc(x));
  mine[1] = static_cast<unsigned>(__clz(static_cast<int>(x)));
  mine[2] = static_cast<unsigned>(__ffs(static_cast<int>(x)));
  mine[3] = __brev(x);
  mine[4] = __byte_perm(x, y, 0x6152);
  mine[5] = __funnelshift_l(x, y, y & 31);
  mine[6] = __bitextract_u32(x, 5, 11);
  mine[7] = __bitinsert_u32(x, y, 7, 13);
}

KERNEL void bits64(const unsigned long* a, unsigned long* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const unsigned long x = a[i];
  unsigned long* mine = out + 4 * i;
  mine[0] = static_cast<unsigned long>(__popcll(x));
  mine[1] = static_cast<unsigned long>(__clzll(static_cast<long>(x)));
  mine[2] = static_cast<unsigned long>(__ffsll(static_cast<unsigned long long>(x)));
  mine[3] = __brevll(x);
}

KERNEL void bytes_blend(const unsigned* over, const unsigned* under, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const unsigned alpha = over[i] >> 24;
  unsigned mixed = 0;
#pragma unroll
  for (int channel = 0; channel < 4; ++channel) {
    const unsigned a = over[i] >> (8 * channel) & 255, b = under[i] >> (8 * channel) & 255;
    mixed |= ((a * alpha + b * (255 - alpha) + 127) / 255) << (8 * channel);
  }
  out[i] = mixed;
}

KERNEL void signed_bytes(const char4* a, const char4* b, short4* sums, char4* products, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const char4 x = a[i], y = b[i];
  sums[i] = make_short4(short(x.x + y.x), short(x.y - y.y), short(x.z + y.z), short(x.w - y.w));
  products[i] = make_char4(char(x.x * y.x), char(x.y * y.y >> 3), char(x.z & y.z), char(max(x.w, y.w)));
}

KERNEL void packed_shorts(const short2* a, const short2* b, short2* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  typedef short vector __attribute__((ext_vector_type(2)));
  typedef unsigned short uvector __attribute__((ext_vector_type(2)));
  const vector x = {a[i].x, a[i].y}, y = {b[i].x, b[i].y};
  const vector shifts = y & vector{15, 15};
  const vector r[6] = {x * y + x,   x - y,      __builtin_elementwise_max(x, y), __builtin_elementwise_min(x, y),
                       x >> shifts, x << shifts};
#pragma unroll
  for (int k = 0; k < 6; ++k) out[6 * i + k] = make_short2(r[k].x, r[k].y);
}

// Fixed-point product of 128 bits, and its division by a 32-bit number, digit by digit.
KERNEL void wide(const unsigned long* a, const unsigned long* b, unsigned long* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  const unsigned __int128 product = static_cast<unsigned __int128>(a[i]) * b[i] + a[i];
  const unsigned __int128 difference = product - (static_cast<unsigned __int128>(b[i]) << 61);
  const unsigned divisor = static_cast<unsigned>(b[i]) | 1;
  unsigned long rest = 0;
  unsigned digits[4];
  for (int k = 3; k >= 0; --k) {
    rest = rest << 32 | static_cast<unsigned>(product >> (32 * k));
    digits[k] = static_cast<unsigned>(rest / divisor);
    rest %= divisor;
  }
  unsigned long* mine = out + 5 * i;
  mine[0] = static_cast<unsigned long>(difference);
  mine[1] = static_cast<unsigned long>(difference >> 64);
  mine[2] = static_cast<unsigned long>(digits[1]) << 32 | digits[0];
  mine[3] = static_cast<unsigned long>(digits[3]) << 32 | digits[2];
  mine[4] = rest;
}

KERNEL void dot_products(const int* a, const int* b, int* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  int sum = out[i];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    sum += static_cast<signed char>(a[i] >> (8 * k)) * static_cast<signed char>(b[i] >> (8 * k));
  }
  out[i] = sum + __mul24(a[i], b[i]) + static_cast<int>(__usad(a[i], b[i], 3));
}
