// Reciprocals, roots, exponentials, logarithms, sine and cosine.
//
// The hardware's are within 1 ulp (f32), 0.51 ulp (f16) and 2^29 ulp (f64 rcp, rsq) by the ISA; it is not documented
// which of the values within reach they return. Ours are computed in double by fixed sequences of IEEE operations (no
// libm), so that every host gives the same bits: rcp and sqrt correctly rounded, rsq_f64 within 1.5 ulp, all others
// within 0.501 ulp. They round to nearest even for any MODE. In f32 they flush denormals, inputs and results, for any
// MODE (LLVM: "v_rcp_f32 … always flushes"); f16 and f64 ones follow MODE.
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

constexpr double kInfinity = __builtin_inf();

// To the nearest integer, for |v| < 2^51.
KERNLOOP_LANE double nearest(double v) {
  return (v + 0x1.8p52) - 0x1.8p52;
}

// Fused or not, the results of v_exp are the same: all 2^32 floats were looked at, and tests/exponential_test.cpp has
// the nearest ones.
KERNLOOP_LANE double multiply_add(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// 2^f = e^(f ln 2) for |f| <= 1/2, by Taylor's series to f^9 (error below 2^-36).
KERNLOOP_LANE double exp2_of_fraction(double f) {
  // Pairs of terms, then pairs of pairs (Estrin): a short chain of operations rather than few of them.
  const double f2 = f * f, f4 = f2 * f2;
  const double p01 = multiply_add(0x1.62e42fefa39efp-1, f, 1.0);
  const double p23 = multiply_add(0x1.c6b08d704a0c0p-5, f, 0x1.ebfbdff82c58fp-3);
  const double p45 = multiply_add(0x1.5d87fe78a6731p-10, f, 0x1.3b2ab6fba4e77p-7);
  const double p67 = multiply_add(0x1.ffcbfc588b0c7p-17, f, 0x1.430912f86c787p-13);
  const double p89 = multiply_add(0x1.b5253d395e7c4p-24, f, 0x1.62c0223a5c824p-20);
  const double low = multiply_add(p23, f2, p01), middle = multiply_add(p67, f2, p45);
  return multiply_add(multiply_add(p89, f4, middle), f4, low);
}

KERNLOOP_LANE float narrow(double v) {
  return static_cast<float>(v);
}

// x = n + f, where the low bits of `shifted` are n's. x is in [-128, 128], or a NaN, which f is, too.
struct WholeAndFraction {
  float shifted, f;
};
KERNLOOP_LANE WholeAndFraction split(float x) {
  const float shifted = x + 0x1.8p23f;
  return {shifted, x - (shifted - 0x1.8p23f)};
}
KERNLOOP_LANE float bounded(float x, float least, float most) {
  const float low = x < least ? least : x;  // a NaN passes
  return low > most ? most : low;
}

// 2^x. At the bounds and past them the result is zero or infinity; denormals are for the caller to flush.
KERNLOOP_LANE float exp2_single(float x) {
  const WholeAndFraction parts = split(bounded(x, -127.0f, 128.0f));
  const uint32_t power = bits(narrow(exp2_of_fraction(parts.f))) + (bits(parts.shifted) << 23);
  return x != x ? x : as_float(power);
}
// The same for halves.
KERNLOOP_LANE double exp2_half(float x) {
  const WholeAndFraction parts = split(bounded(x, -32.0f, 32.0f));
  const uint64_t n =
      static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(bits(parts.shifted) - bits(0x1.8p23f))));
  return exp2_of_fraction(parts.f) * as_double((n + 1023) << 52);
}

// log2 of a normal positive double: exponent + 2 atanh(t) / ln 2, t = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)).
KERNLOOP_LANE double log2_positive(double v) {
  const uint64_t b = bits(v);
  int32_t exponent = static_cast<int32_t>(b >> 52) - 1023;
  double m = as_double((b & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  const bool upper = m > 0x1.6a09e667f3bcdp0;
  m = upper ? m * 0.5 : m;
  exponent += upper;
  const double t = (m - 1.0) / (m + 1.0), s = t * t;
  double p = 1.0 / 23;
  p = p * s + 1.0 / 21;
  p = p * s + 1.0 / 19;
  p = p * s + 1.0 / 17;
  p = p * s + 1.0 / 15;
  p = p * s + 1.0 / 13;
  p = p * s + 1.0 / 11;
  p = p * s + 1.0 / 9;
  p = p * s + 1.0 / 7;
  p = p * s + 1.0 / 5;
  p = p * s + 1.0 / 3;
  p = p * s + 1.0;
  return t * p * 0x1.71547652b82fep1 + exponent;  // 2 / ln 2
}
KERNLOOP_LANE double log2_of(float x) {
  const double v = x;
  double r = log2_positive(v > 0 && v < kInfinity ? v : 1.0);
  r = v == 0 ? -kInfinity : r;
  r = v == kInfinity ? v : r;
  return v < 0 || v != v ? as_double(kDefaultNan64) : r;
}

// Sine and cosine of r turns, |r| <= 1/8, by Taylor's series in the angle (error below 2^-54).
KERNLOOP_LANE double sin_small(double angle) {
  const double s = angle * angle;
  double p = 1.0 / 355687428096000.0;
  p = p * s - 1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s - 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s - 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s - 1.0 / 6.0;
  return angle + angle * (s * p);
}
KERNLOOP_LANE double cos_small(double angle) {
  const double s = angle * angle;
  double p = 1.0 / 20922789888000.0;
  p = p * s - 1.0 / 87178291200.0;
  p = p * s + 1.0 / 479001600.0;
  p = p * s - 1.0 / 3628800.0;
  p = p * s + 1.0 / 40320.0;
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  p = p * s - 0.5;
  return p * s + 1.0;
}
// sin(2 pi (x + quarters / 4)); `out_of_range` for |x| > 256, NaN for infinities.
KERNLOOP_LANE double sin_turns(float x, int quarters, double out_of_range) {
  const double v = x, magnitude = v < 0 ? -v : v;
  const bool valid = magnitude <= 256.0;
  const double bounded = valid ? v : 0.0;
  const double quadrant = nearest(bounded * 4.0);
  const double angle = (bounded - quadrant * 0.25) * 0x1.921fb54442d18p2;  // the difference is exact
  const int q = static_cast<int32_t>(quadrant) + quarters;
  const double s = sin_small(angle), c = cos_small(angle);
  double r = (q & 1) ? c : s;
  r = (q & 2) ? 0.0 - r : r;
  r = valid ? r : out_of_range;
  return magnitude < kInfinity ? r : as_double(kDefaultNan64);
}
// -0 in, -0 out.
KERNLOOP_LANE double sin_of(float x) {
  return x == 0 ? static_cast<double>(x) : sin_turns(x, 0, 0.0);
}
KERNLOOP_LANE double cos_of(float x) {
  return sin_turns(x, 1, 1.0);
}

KERNLOOP_LANE double rsqrt(double v) {
  return 1.0 / __builtin_sqrt(v);
}
KERNLOOP_LANE double root(double v) {
  return __builtin_sqrt(v);
}
// narrow(rsqrt(a)), for all values of `a`, without a square root and a division in double: one step of Newton's, with
// the second term, from the root in single.
KERNLOOP_LANE float rsqrt_single(float a) {
  const float near = 1.0f / __builtin_sqrtf(a);
  const double y = near, rest = 1.0 - a * y * y;
  const float nearest_one = narrow(y + y * (rest * (0.5 + 0.375 * rest)));
  return nearest_one == nearest_one ? nearest_one : near;  // zeros and infinities, too, give a NaN
}
constexpr unsigned kSingle = kFlushAlways | kIgnoreRounding;

constexpr Row kRows[] = {
    row<Op::v_rcp_f32, F32(F32), kSingle>([](float a) { return 1.0f / a; }),
    row<Op::v_rcp_iflag_f32, F32(F32), kSingle>([](float a) { return 1.0f / a; }),
    row<Op::v_rsq_f32, F32(F32), kSingle>([](float a) { return rsqrt_single(a); }),
    row<Op::v_sqrt_f32, F32(F32), kSingle>([](float a) { return __builtin_sqrtf(a); }),
    row<Op::v_exp_f32, F32(F32), kSingle>([](float a) { return exp2_single(a); }),
    row<Op::v_log_f32, F32(F32), kSingle>([](float a) { return narrow(log2_of(a)); }),
    row<Op::v_sin_f32, F32(F32), kSingle>([](float a) { return narrow(sin_of(a)); }),
    row<Op::v_cos_f32, F32(F32), kSingle>([](float a) { return narrow(cos_of(a)); }),
    row<Op::v_rcp_f16, F16(F16), kIgnoreRounding>([](float a) { return 1.0f / a; }),
    row<Op::v_rsq_f16, F16(F16), kIgnoreRounding>([](float a) { return rsqrt(a); }),
    row<Op::v_sqrt_f16, F16(F16), kIgnoreRounding>([](float a) { return root(a); }),
    row<Op::v_exp_f16, F16(F16), kIgnoreRounding>([](float a) { return exp2_half(a); }),
    row<Op::v_log_f16, F16(F16), kIgnoreRounding>([](float a) { return log2_of(a); }),
    row<Op::v_sin_f16, F16(F16), kIgnoreRounding>([](float a) { return sin_of(a); }),
    row<Op::v_cos_f16, F16(F16), kIgnoreRounding>([](float a) { return cos_of(a); }),
    row<Op::v_rcp_f64, F64(F64), kIgnoreRounding>([](double a) { return 1.0 / a; }),
    row<Op::v_rsq_f64, F64(F64), kIgnoreRounding>([](double a) { return rsqrt(a); }),
    row<Op::v_sqrt_f64, F64(F64), kIgnoreRounding>([](double a) { return root(a); }),
};

}  // namespace

RowTable transcendental_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
