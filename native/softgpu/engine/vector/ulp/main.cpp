// Errors of transcendental instructions, in units of the last place, over a sweep of all inputs:
//   softgpu_ulp [STEP]
// looks at every STEP-th float (1: all of them; default 257) and double, and at all halves. One line of JSON for each
// instruction; the exit code is 1 when one is further off than docs/contributing/softgpu.md states. Results come from
// the host's long double (64-bit significands, libm within 1 of their ulp, which is 2^-11 of a double's and 2^-40 of a
// float's).
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu::vector {
namespace {

using Real = long double;
using Exact = Real (*)(Real);

constexpr Real kTurn = 6.283185307179586476925286766559L;

// Sine of v turns: the remainder after whole quarters is exact, so that zeros are, too.
Real sine_of_turns(Real v, int quarters) {
  const Real quarter = std::nearbyint(v * 4), angle = (v - quarter / 4) * kTurn;
  switch ((static_cast<int>(quarter) + quarters) & 3) {
    case 0:
      return std::sin(angle);
    case 1:
      return std::cos(angle);
    case 2:
      return -std::sin(angle);
    default:
      return -std::cos(angle);
  }
}

struct Format {
  const char* name;
  unsigned bits, significand, dwords;
  int lowest;  // exponent, as frexp has it, of the smallest normal number
};
constexpr Format kHalf{"f16", 16, 11, 1, -13}, kSingle{"f32", 32, 24, 1, -125}, kDouble{"f64", 64, 53, 2, -1021};

Real value(const Format& format, uint64_t bits) {
  if (&format == &kDouble) return __builtin_bit_cast(double, bits);
  if (&format == &kSingle) return __builtin_bit_cast(float, static_cast<uint32_t>(bits));
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const Real significand = static_cast<Real>(bits & 0x3ff) + (exponent > 0 ? 1024 : 0);
  const Real magnitude = exponent == 31 ? INFINITY : std::ldexp(significand, std::max(exponent, 1) - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

struct Case {
  Op op;
  const char* name;
  const Format& format;
  Exact exact;
  Real low, high;  // the inputs that are looked at
  Real bound;
};

const Exact kReciprocal = [](Real v) { return 1 / v; };
const Exact kRoot = [](Real v) { return std::sqrt(v); };
const Exact kReciprocalRoot = [](Real v) { return 1 / std::sqrt(v); };
const Exact kExp2 = [](Real v) { return std::exp2(v); };
const Exact kLog2 = [](Real v) { return std::log2(v); };
const Exact kSine = [](Real v) { return sine_of_turns(v, 0); };
const Exact kCosine = [](Real v) { return sine_of_turns(v, 1); };
constexpr Real kAny = INFINITY;

const Case kCases[] = {
    {Op::v_rcp_f16, "v_rcp_f16", kHalf, kReciprocal, -kAny, kAny, 0.5L},
    {Op::v_sqrt_f16, "v_sqrt_f16", kHalf, kRoot, 0, kAny, 0.5L},
    {Op::v_rsq_f16, "v_rsq_f16", kHalf, kReciprocalRoot, 0, kAny, 0.501L},
    {Op::v_exp_f16, "v_exp_f16", kHalf, kExp2, -kAny, kAny, 0.501L},
    {Op::v_log_f16, "v_log_f16", kHalf, kLog2, 0, kAny, 0.501L},
    {Op::v_sin_f16, "v_sin_f16", kHalf, kSine, -256, 256, 0.501L},
    {Op::v_cos_f16, "v_cos_f16", kHalf, kCosine, -256, 256, 0.501L},
    {Op::v_rcp_f32, "v_rcp_f32", kSingle, kReciprocal, -kAny, kAny, 0.5L},
    {Op::v_sqrt_f32, "v_sqrt_f32", kSingle, kRoot, 0, kAny, 0.5L},
    {Op::v_rsq_f32, "v_rsq_f32", kSingle, kReciprocalRoot, 0, kAny, 0.501L},
    {Op::v_exp_f32, "v_exp_f32", kSingle, kExp2, -kAny, kAny, 0.501L},
    {Op::v_log_f32, "v_log_f32", kSingle, kLog2, 0, kAny, 0.501L},
    {Op::v_sin_f32, "v_sin_f32", kSingle, kSine, -256, 256, 0.501L},
    {Op::v_cos_f32, "v_cos_f32", kSingle, kCosine, -256, 256, 0.501L},
    {Op::v_rcp_f64, "v_rcp_f64", kDouble, kReciprocal, -kAny, kAny, 0.501L},
    {Op::v_sqrt_f64, "v_sqrt_f64", kDouble, kRoot, 0, kAny, 0.501L},
    {Op::v_rsq_f64, "v_rsq_f64", kDouble, kReciprocalRoot, 0, kAny, 1.5L},
};

struct Worst {
  Real ulp = 0, input = 0;
  uint64_t looked_at = 0;
};

class Sweep {
 public:
  Sweep(const Case& of, uint64_t step) : case_(of), step_(step) {
    instruction_.op = of.op;
    instruction_.encoding = Encoding::kVop3;
    instruction_.size_bytes = 8;
    instruction_.dst[instruction_.dst_count++] = registers(2);
    instruction_.src[instruction_.src_count++] = registers(0);
    wave_.vgpr = file_->row;
    wave_.agpr = file_->row;
    wave_.set_exec(~uint64_t{0});
  }

  Worst run() {
    const ExecuteFn execute = runnable_builds().back()(instruction_);
    const uint64_t inputs = case_.format.bits == 16 ? uint64_t{1} << 16 : (uint64_t{1} << 32) / step_;
    for (uint64_t first = 0; first < inputs; first += kLanes) {
      for (unsigned lane = 0; lane < kLanes; ++lane) put(lane, input(first + lane));
      execute(wave_, instruction_);
      for (unsigned lane = 0; lane < kLanes; ++lane) look_at(input(first + lane), get(lane));
    }
    return worst_;
  }

 private:
  struct File {
    alignas(64) VectorRegister row[4] = {};
  };

  Operand registers(unsigned index) const {
    Operand operand;
    operand.kind = Operand::Kind::kVgpr;
    operand.index = static_cast<uint16_t>(index);
    operand.dwords = static_cast<uint8_t>(case_.format.dwords);
    return operand;
  }
  uint64_t input(uint64_t index) const {
    if (case_.format.bits == 16) return index;
    const uint64_t spread = index * step_;
    // The upper half goes through all signs and exponents; the value of the lower half does not matter.
    return case_.format.bits == 32 ? spread & 0xffffffff : spread << 32 | (index * 0x9E3779B97F4A7C15ull >> 32);
  }
  void put(unsigned lane, uint64_t bits) {
    file_->row[0][lane] = static_cast<uint32_t>(bits);
    file_->row[1][lane] = static_cast<uint32_t>(bits >> 32);
  }
  uint64_t get(unsigned lane) const {
    const uint64_t low = file_->row[2][lane];
    if (case_.format.bits == 16) return low & 0xffff;
    return case_.format.bits == 32 ? low : low | static_cast<uint64_t>(file_->row[3][lane]) << 32;
  }

  void look_at(uint64_t in, uint64_t out) {
    const Format& format = case_.format;
    const Real v = value(format, in);
    const bool flushes = format.bits == 32;  // these flush inputs and results, for any MODE
    if (!std::isfinite(v) || v == 0 || v < case_.low || v > case_.high) return;
    if (flushes && std::abs(v) < 0x1p-126L) return;
    const Real exact = case_.exact(v);
    int exponent = 0;
    std::frexp(exact, &exponent);
    const Real too_large = std::ldexp(1.0L, 3 - format.lowest);
    if (std::abs(exact) >= too_large || (exact != 0 && exponent < format.lowest && flushes)) return;
    const Real unit = std::ldexp(1.0L, std::max(exponent, format.lowest) - static_cast<int>(format.significand));
    const Real result = value(format, out);
    const bool overflows = std::isinf(result) && std::abs(exact) > too_large - unit;
    const Real off = overflows ? 0 : std::abs(result - exact) / unit;
    ++worst_.looked_at;
    if (!(off <= worst_.ulp)) {
      worst_.ulp = off;
      worst_.input = v;
    }
  }

  const Case& case_;
  const uint64_t step_;
  Instruction instruction_;
  Wave wave_;
  std::unique_ptr<File> file_ = std::make_unique<File>();
  Worst worst_;
};

}  // namespace
}  // namespace kernloop::softgpu::vector

int main(int count, char** words) {
  using namespace kernloop::softgpu::vector;
  const uint64_t step = count > 1 ? std::strtoull(words[1], nullptr, 10) : 257;
  if (count > 2 || step == 0 || step > 1u << 24) {
    std::fprintf(stderr, "usage: %s [STEP], of 1 to %u\n", words[0], 1u << 24);
    return 2;
  }
  int failed = 0;
  for (const Case& a_case : kCases) {
    const Worst worst = Sweep(a_case, step).run();
    std::printf("{\"instruction\":\"%s\",\"inputs\":%llu,\"worst_ulp\":%.5Lf,\"at\":\"%a\",\"stated_ulp\":%.3Lf}\n",
                a_case.name, static_cast<unsigned long long>(worst.looked_at), worst.ulp,
                static_cast<double>(worst.input), a_case.bound);
    std::fflush(stdout);
    if (!(worst.ulp <= a_case.bound + 1e-6L) || worst.looked_at == 0) failed = 1;
  }
  return failed;
}
