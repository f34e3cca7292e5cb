// The division sequence (v_div_scale, v_div_fmas, v_div_fixup) and v_trig_preop.
//
// v_div_scale moves numerator and denominator into a range in which reciprocal and refinement neither overflow nor lose
// bits, and sets a lane's VCC bit when only one of them was moved; v_div_fmas then moves the quotient back. The ISA's
// text scales a too large denominator up (where it must go down) and v_div_fmas by 2^32 or 2^64 (half of what
// v_div_scale applied, and in one direction only); with those no sequence gives correct quotients at the ends of the
// range. This code makes LLVM's expansion of a correctly rounded a / b exact for every a and b, denormal results
// included (division_test.cpp).
#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr int kFraction = 23, kScale = 64, kFar = 96, kTiny = 23, kUnderflow = -150, kMaxField = 255;
  static constexpr Bits kSign = 0x80000000u, kInfinity = 0x7f800000u, kInvalid = 0xffc00000u;
  static float from(Bits v) { return as_float(v); }
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr int kFraction = 52, kScale = 128, kFar = 768, kTiny = 53, kUnderflow = -1075, kMaxField = 2047;
  static constexpr Bits kSign = 1ull << 63, kInfinity = 0x7ff0000000000000ull, kInvalid = 0xfff8000000000000ull;
  static double from(Bits v) { return as_double(v); }
};

template <class T>
KERNLOOP_LANE int exponent_field(T v) {
  return static_cast<int>((bits(v) & ~Format<T>::kSign) >> Format<T>::kFraction);
}
template <class T>
KERNLOOP_LANE T magnitude(T v) {
  return Format<T>::from(bits(v) & ~Format<T>::kSign);
}
template <class T>
KERNLOOP_LANE T power_of_two(int n) {
  constexpr int bias = Format<T>::kMaxField / 2;
  return Format<T>::from(static_cast<typename Format<T>::Bits>(n + bias) << Format<T>::kFraction);
}

// Whether |numerator / denominator|, unrounded, is below the least normal number. The denominator is normal.
template <class T>
KERNLOOP_LANE bool quotient_is_denormal(T numerator, T denominator) {
  using F = Format<T>;
  constexpr auto fraction = (typename F::Bits{1} << F::kFraction) - 1;
  constexpr int least = 1 - F::kMaxField / 2;
  const bool tiny = exponent_field(numerator) == 0;
  const T normal = tiny ? numerator * power_of_two<T>(64) : numerator;
  const int difference = exponent_field(normal) - (tiny ? 64 : 0) - exponent_field(denominator);
  const bool smaller = (bits(normal) & fraction) < (bits(denominator) & fraction);
  return (difference < least) | ((difference == least) & smaller);
}

// In arithmetic rather than branches, for the vectoriser. `up` and `down` say how the value is scaled; conditions in
// the order of the ISA: far apart, denormal denominator, denormal reciprocal, denormal quotient, tiny numerator.
template <class T, class Result>
KERNLOOP_LANE Result div_scale(T value, T denominator, T numerator) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const int nf = exponent_field(numerator), df = exponent_field(denominator);
  const Bits far = nf - df >= F::kFar, denormal = df == 0, is_numerator = value == numerator,
             is_denominator = value == denominator;
  const Bits reciprocal = magnitude(denominator) > power_of_two<T>(F::kMaxField / 2 - 1);
  const Bits quotient = quotient_is_denormal(numerator, denominator), tiny = nf <= F::kTiny;
  const Bits zero = static_cast<Bits>(denominator == 0) | static_cast<Bits>(numerator == 0);
  // v_div_fixup handles infinities and NaNs.
  const Bits scaled = static_cast<Bits>(nf != F::kMaxField) & static_cast<Bits>(df != F::kMaxField) & ~zero;
  const Bits plain = ~far & ~denormal;
  const Bits up = scaled & ((far & is_denominator) | (~far & denormal) |
                            (plain & ~reciprocal & ((quotient & is_numerator) | (~quotient & tiny))));
  const Bits down = scaled & plain & reciprocal & (is_denominator | ~quotient);
  const Bits bit = scaled & (far | (~denormal & quotient));
  const Bits one = static_cast<Bits>(F::kMaxField / 2) << F::kFraction, step = static_cast<Bits>(F::kScale)
                                                                               << F::kFraction;
  const T r = value * F::from(one + (up & 1) * step - (down & 1) * step);
  return {choose(zero != 0, F::from(F::kInfinity | F::kInfinity >> 1), r), static_cast<uint32_t>(bit & 1)};
}

// (a * b + c) * 2^scale rounded once, if the result may be denormal.
float fused_scaled(const Mode& mode, float a, float b, float c, int scale) {
  const double product = static_cast<double>(a) * b;  // exact
  double sum = product + c;
  if (mode.round_f32 == 0) {
    // Rounded to odd, so that the conversion below rounds as if from the exact sum.
    const double back = sum - product, error = (product - (sum - back)) + (c - back);
    if (error != 0 && !(bits(sum) & 1)) sum = as_double(bits(sum) + ((error > 0) == (sum > 0) ? 1 : -1));
  }
  return static_cast<float>(sum * power_of_two<double>(scale));
}
double fused_scaled(const Mode& mode, double a, double b, double c, int scale) {
  const double sum = fused(a, b, c);
  const double result = sum * power_of_two<double>(scale);
  if (mode.round_f64_f16 != 0 || !(magnitude(result) <= 0x1p-1022)) return result;
  // A second rounding went wrong only if it met a tie that the first had made.
  const double left = sum - result * power_of_two<double>(-scale), tie = power_of_two<double>(-1074 - scale) * 0.5;
  if (magnitude(left) != tie) return result;
  const double product = a * b, low = fused(a, b, -product);
  const double s = product + c, back = s - product, error = (product - (s - back)) + (c - back);
  const double rest = ((s - sum) + error) + low;
  if (left > 0 && rest > 0) return result + 0x1p-1074;
  if (left < 0 && rest < 0) return result - 0x1p-1074;
  return result;
}

template <class T>
T div_fmas(const Mode& mode, T a, T b, T c, bool scaled) {
  if (!scaled) return fused(a, b, c);
  const int scale = exponent_field(c) > Format<T>::kMaxField / 2 ? Format<T>::kScale : -Format<T>::kScale;
  return fused_scaled(mode, a, b, c, scale);
}

// The quotient, or the result of a special case: the last condition that holds decides. `computed` is the sequence's
// result; the others are the original operands.
template <class T>
KERNLOOP_LANE T div_fixup(unsigned rounding, T computed, T denominator, T numerator) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const Bits sign = (bits(denominator) ^ bits(numerator)) & F::kSign;
  const T d = magnitude(denominator), n = magnitude(numerator), infinity = F::from(F::kInfinity);
  const bool outward = rounding == (sign ? 2u : 1u), inward = (rounding == 3) | (rounding == (sign ? 1u : 2u));
  Bits r = (bits(computed) & ~F::kSign) | sign;
  // With finite operands a NaN can only come from a quotient that overflowed before v_div_fmas.
  r = is_nan(computed) ? sign | (inward ? F::kInfinity - 1 : F::kInfinity) : r;
  r = exponent_field(numerator) - exponent_field(denominator) < F::kUnderflow ? sign | (outward ? 1 : 0) : r;
  r = (d == infinity) | (n == 0) ? sign : r;
  r = (d == 0) | (n == infinity) ? sign | F::kInfinity : r;
  r = ((d == 0) & (n == 0)) | ((d == infinity) & (n == infinity)) ? F::kInvalid : r;
  r = is_nan(denominator) ? bits(quiet(denominator)) : r;
  r = is_nan(numerator) ? bits(quiet(numerator)) : r;
  return F::from(r);
}
KERNLOOP_LANE float div_fixup_half(float computed, float denominator, float numerator) {
  const uint32_t sign = (bits(denominator) ^ bits(numerator)) & 0x80000000u;
  const float d = magnitude(denominator), n = magnitude(numerator), infinity = as_float(0x7f800000u);
  if (is_nan(numerator)) return quiet(numerator);
  if (is_nan(denominator)) return quiet(denominator);
  if ((d == 0 && n == 0) || (d == infinity && n == infinity)) return as_float(0xffc00000u);
  if (d == 0 || n == infinity) return as_float(sign | 0x7f800000u);
  if (d == infinity || n == 0) return as_float(sign);
  return as_float((bits(computed) & 0x7fffffffu) | sign);
}

// 2 / pi from its most significant bit on: 1216 bits, of which v_trig_preop uses 1201.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
    0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
    0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};
constexpr unsigned kTwoOverPiBits = 1201;

// 53 bits of 2/pi at the position that matters for an argument of a's magnitude, as a double of their weight.
double trig_preop(double a, uint32_t segment) {
  const int field = exponent_field(a);
  int shift = static_cast<int>(segment & 31) * 53 + (field > 1077 ? field - 1077 : 0);
  uint64_t chunk = 0;
  for (int k = 0; k < 53; ++k) {
    const unsigned at = static_cast<unsigned>(shift + k);
    const uint64_t bit = at < kTwoOverPiBits ? (kTwoOverPi[at / 64] >> (63 - at % 64)) & 1 : 0;
    chunk = chunk << 1 | bit;
  }
  int scale = -53 - shift + (field >= 1968 ? 128 : 0);
  double r = static_cast<double>(static_cast<int64_t>(chunk));
  for (; scale < -1000; scale += 1000) r *= power_of_two<double>(-1000);
  return r * power_of_two<double>(scale);
}

// Few lanes need scaling, usually none: then it is an ordinary fused multiply-add.
template <class Unscaled, class Scaled>
void fmas_plain(Wave& wave, const Instruction& instruction) {
  if (wave.vcc() & wave.exec()) {
    execute_plain<Scaled>(wave, instruction);
  } else {
    execute_plain<Unscaled>(wave, instruction);
  }
}
template <class Unscaled, class Scaled>
void fmas_lean(Wave& wave, const Instruction& instruction) {
  if (wave.vcc() & wave.exec()) {
    execute_plain<Scaled>(wave, instruction);
  } else {
    execute_lean<Unscaled>(wave, instruction);
  }
}
template <Op op, class Tag>
constexpr Row fmas_row() {
  using T = typename Tag::Value;
  constexpr auto unscaled = [](T a, T b, T c) { return fused(a, b, c); };
  constexpr auto scaled = [](const Mode& m, T a, T b, T c, bool v) { return div_fmas(m, a, b, c, v); };
  using Unscaled = Kernel<Tag(Tag, Tag, Tag), decltype(unscaled), kNone>;
  using Scaled = Kernel<Tag(Tag, Tag, Tag, Mask), decltype(scaled), kReadsVcc>;
  Row r = row<op, Tag(Tag, Tag, Tag, Mask), kReadsVcc>(scaled);
  r.lean = fmas_lean<Unscaled, Scaled>;
  r.plain = fmas_plain<Unscaled, Scaled>;
  return r;
}

// Exponents for which div_scale leaves every value alone: no condition of it can hold.
constexpr uint32_t kLeastEasyField = 80, kEasyFields = 91;

// Whether all lanes of the mask are in that case.
bool all_easy(const uint32_t* const* src, uint64_t lanes) {
  alignas(64) uint32_t hard[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    uint32_t any = 0;
    for (unsigned k = 0; k < 3; ++k) any |= ((src[k][l] >> 23 & 0xff) - kLeastEasyField) >= kEasyFields ? ~0u : 0u;
    hard[l] = any;
  }
  return (gather_mask(hard) & lanes) == 0;
}

// Most quotients need no scaling: then it is a move.
template <class Scale>
void scale_plain(Wave& wave, const Instruction& instruction) {
  alignas(64) uint32_t temporary[3][kLanes];
  const uint32_t* const src[] = {plain_source<Scale, 0>(wave, instruction, temporary[0]),
                                 plain_source<Scale, 1>(wave, instruction, temporary[1]),
                                 plain_source<Scale, 2>(wave, instruction, temporary[2])};
  const uint64_t exec = wave.exec();
  if (!all_easy(src, exec)) return execute_plain<Scale>(wave, instruction);
  uint32_t* dst = wave.vgpr[instruction.dst[0].index];
  if (src[0] != dst) write_planes(dst, src[0], 1, exec);
  wave.set_sgpr64(instruction.dst[1].index, 0);
}
template <Op op>
constexpr Row scale_row_f32() {
  constexpr auto scale = [](float a, float b, float c) { return div_scale<float, WithBit<F32>>(a, b, c); };
  using Scale = Kernel<BitAnd<F32>(F32, F32, F32), decltype(scale), kNone>;
  Row r = row<op, BitAnd<F32>(F32, F32, F32)>(scale);
  r.lean = nullptr;
  r.plain = scale_plain<Scale>;
  return r;
}

constexpr Row kRows[] = {
    scale_row_f32<Op::v_div_scale_f32>(),
    row<Op::v_div_scale_f64, BitAnd<F64>(F64, F64, F64)>(
        [](double a, double b, double c) { return div_scale<double, WithBit<F64>>(a, b, c); }),
    fmas_row<Op::v_div_fmas_f32, F32>(),
    fmas_row<Op::v_div_fmas_f64, F64>(),
    row<Op::v_div_fixup_f32, F32(F32, F32, F32), kKeepNan>(
        [](const Mode& m, float a, float b, float c) { return div_fixup(m.round_f32, a, b, c); }),
    row<Op::v_div_fixup_f64, F64(F64, F64, F64), kKeepNan>(
        [](const Mode& m, double a, double b, double c) { return div_fixup(m.round_f64_f16, a, b, c); }),
    row<Op::v_div_fixup_f16, F16(F16, F16, F16), kKeepNan | kPreserveHigh>(
        [](float a, float b, float c) { return div_fixup_half(a, b, c); }),
    row<Op::v_div_fixup_legacy_f16, F16(F16, F16, F16), kKeepNan>(
        [](float a, float b, float c) { return div_fixup_half(a, b, c); }),
    row<Op::v_trig_preop_f64, F64(F64, U32), kKeepNan>([](double a, uint32_t b) { return trig_preop(a, b); }),
};

}  // namespace

RowTable division_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
