// Rounding is to nearest even (AMD's amd_hip_fp8.h: "RNE CVT"); NaN and, where MODE does not clamp, infinities become
// the one NaN, and there is no -0. FP16_OVFL clamps finite values to the largest number of their sign: Triton sets it.
// Other overflows, and other roundings, are undocumented: such a value is refused when it occurs.
#include "softgpu/engine/execute/float8_result.h"

#include <cmath>
#include <cstring>

#include "softgpu/engine/wave/scalar_operands.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {
namespace {

constexpr uint32_t kNan8 = 0x80, kLargest8 = 0x7f, kSignOf8 = 0x80;

// The bits of a magnitude, without bounds: beyond kLargest8 it does not fit.
uint32_t rounded_to_float8(double magnitude, int mantissa_bits) {
  const int bias = 1 << (6 - mantissa_bits), ones = 1 << mantissa_bits;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
  exponent = std::max(exponent - 1, 1 - bias);
  const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent)));
  if (units < ones) return static_cast<uint32_t>(units);  // denormal, or 0
  // A carry into the next power of two is one in the bits, too.
  return static_cast<uint32_t>(((exponent + bias) << mantissa_bits) + units - ones);
}

uint32_t to_float8(uint32_t bits, int mantissa_bits, bool clamps, int lane) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  if (std::isnan(value)) return kNan8;
  const uint32_t sign = std::signbit(value) ? kSignOf8 : 0;
  if (std::isinf(value)) {
    if (clamps) raise_unsupported("an infinity made a float of 8 bits under FP16_OVFL, which is not documented", lane);
    return kNan8;
  }
  const uint32_t magnitude = rounded_to_float8(std::fabs(static_cast<double>(value)), mantissa_bits);
  if (magnitude == 0) return 0;
  if (magnitude <= kLargest8) return sign | magnitude;
  if (!clamps) {
    raise_unsupported(
        "a number beyond the largest float of 8 bits without FP16_OVFL in MODE: what becomes of it is not "
        "documented; clamp it before, or set FP16_OVFL",
        lane);
  }
  return sign | kLargest8;
}

uint32_t source_bits(const Wave& wave, const Operand& operand, unsigned lane) {
  uint32_t bits = operand.kind == Operand::Kind::kVgpr ? wave.vgpr[operand.index][lane]
                                                       : static_cast<uint32_t>(read32(wave, operand));
  if (operand.absolute) bits &= 0x7fffffffu;
  if (operand.negate) bits ^= 0x80000000u;
  return bits;
}

template <int kMantissaBits>
void convert_two(Wave& wave, const Instruction& instruction) {
  if (wave.mode.round_f32 != 0) raise_unsupported("conversion to floats of 8 bits in a MODE other than to nearest");
  const unsigned shift = (instruction.op_sel & 8) != 0 ? 16 : 0;
  uint32_t results[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((wave.exec() >> lane & 1) == 0) continue;
    results[lane] = 0;
    for (unsigned k = 0; k < 2; ++k) {
      results[lane] |= to_float8(source_bits(wave, instruction.src[k], lane), kMantissaBits, wave.mode.fp16_overflow,
                                 static_cast<int>(lane))
                       << (8 * k);
    }
  }
  auto& result = wave.vgpr[instruction.dst[0].index];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((wave.exec() >> lane & 1) != 0) result[lane] = (result[lane] & ~(0xffffu << shift)) | results[lane] << shift;
  }
}

}  // namespace

ExecuteFn select_float8_result(const Instruction& instruction) {
  constexpr uint8_t kSources = 7;  // op_sel chooses the half of the result alone
  if ((instruction.op_sel & kSources) != 0 || instruction.clamp || instruction.omod) return nullptr;
  switch (instruction.op) {
    case Op::v_cvt_pk_fp8_f32:
      return convert_two<3>;
    case Op::v_cvt_pk_bf8_f32:
      return convert_two<2>;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
