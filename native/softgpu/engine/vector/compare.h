// Comparisons: a bit a lane into a scalar register pair. Inactive lanes give 0; v_cmpx also writes EXEC.
#pragma once

#include "softgpu/engine/vector/forms.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

template <class A, class B, class Lambda>
struct Comparison {
  static constexpr FormRule rule() {
    FormRule r;
    r.sources = 2;
    r.source[0] = source_rule<A>(kNone);
    r.source[1] = source_rule<B>(kNone);
    r.shape = RowShape::kComparison;
    r.follows_mode = kIsFloat<B>;
    return r;
  }
  [[gnu::noinline]] static void compute(uint32_t* result, const uint32_t* a, const uint32_t* b, bool flush) {
    if constexpr (kIsFloat<B>) {
      if (flush) [[unlikely]] {
        for (unsigned l = 0; l < kLanes; ++l) result[l] = 0u - Lambda{}(flushed(A::load(a, l)), flushed(B::load(b, l)));
        return;
      }
    }
    for (unsigned l = 0; l < kLanes; ++l)
      result[l] = 0u - static_cast<uint32_t>(Lambda{}(A::load(a, l), B::load(b, l)));
  }
  // For 16 lanes; nothing is flushed.
  KERNLOOP_LANE static void compute_group(uint32_t* result, const uint32_t* a, const uint32_t* b) {
    KERNLOOP_LANE_LOOP
    for (unsigned l = 0; l < kGroup; ++l)
      result[l] = 0u - static_cast<uint32_t>(Lambda{}(A::load(a, l), B::load(b, l)));
  }
  KERNLOOP_LANE static void lane_group(uint32_t* dst, const uint32_t* const* src, const Mode&) {
    compute_group(dst, src[0], src[1]);
  }
  static float flushed(float v) { return std::is_same_v<A, F16> ? flush_half_denormal(v) : flush_denormal(v); }
  static double flushed(double v) { return flush_denormal(v); }
  // v_cmp_class tests the bits (its second source is a mask of classes): it flushes nothing.
  static bool flushes(const Mode& mode) {
    if constexpr (!kIsFloat<B>) return false;
    return !((B::kPrecision == Precision::kF32 ? mode.denorm_f32 : mode.denorm_f64_f16) & 1);
  }
};

// A bit a lane, in planes; `flush`: denormal sources are zeros.
using ComparePlanesFn = void (*)(uint32_t* result, const uint32_t* a, const uint32_t* b, bool flush);
struct PlanesComparison {
  FormRule rule;
  ComparePlanesFn compute;
  bool writes_exec;
};
void compare_plain(Wave& wave, const Instruction& instruction, const PlanesComparison& comparison, bool flush);
void compare_general(Wave& wave, const Instruction& instruction, const PlanesComparison& comparison, bool flush);

template <class C, bool kWritesExec>
inline constexpr PlanesComparison kComparison = {C::rule(), C::compute, kWritesExec};

template <class C, bool kWritesExec>
void compare_plain(Wave& wave, const Instruction& instruction) {
  compare_plain(wave, instruction, kComparison<C, kWritesExec>, C::flushes(wave.mode));
}

template <class C, bool kWritesExec>
void compare_general(Wave& wave, const Instruction& instruction) {
  compare_general(wave, instruction, kComparison<C, kWritesExec>, C::flushes(wave.mode));
}

// Sources are vector registers or single dwords, as in execute_lean.
template <class C, bool kWritesExec>
void compare_lean(Wave& wave, const Instruction& instruction) {
  if (C::flushes(wave.mode)) [[unlikely]]
    return compare_plain<C, kWritesExec>(wave, instruction);
  alignas(64) uint32_t temporary[2][kGroup];
  const LeanSource first = lean_value(wave, instruction.src[0], temporary[0]),
                   second = lean_value(wave, instruction.src[1], temporary[1]);
  const uint64_t exec = wave.exec();
  uint64_t mask = 0;
  for (unsigned l = 0; l < kLanes; l += kHalf) {
    if (static_cast<uint32_t>(exec >> l) == 0) [[unlikely]]
      continue;
    alignas(64) uint32_t result[kHalf];
    for (unsigned part = 0; part < kHalf; part += kGroup) {
      const unsigned at = (l + part) / kGroup;
      C::compute_group(result + part, first.lanes + at * first.step, second.lanes + at * second.step);
    }
    mask |= static_cast<uint64_t>(gather_half(result)) << l;
  }
  mask &= exec;
  wave.set_sgpr64(instruction.dst[0].index, mask);
  if constexpr (kWritesExec) wave.set_exec(mask);
}

struct CompareRow {
  Op op;
  FormRule rule;
  ExecuteFn lean, plain, general;
};

template <Op op, class A, class B = A, class Lambda>
constexpr CompareRow compare(Lambda) {
  using C = Comparison<A, B, Lambda>;
  name_lanes<op, C>();
  return {op, C::rule(), compare_lean<C, false>, compare_plain<C, false>, compare_general<C, false>};
}
template <Op op, class A, class B = A, class Lambda>
constexpr CompareRow compare_exec(Lambda) {
  using C = Comparison<A, B, Lambda>;
  return {op, C::rule(), compare_lean<C, true>, compare_plain<C, true>, compare_general<C, true>};
}

const FormRule* rule_in(std::span<const CompareRow> rows, Op op);
ExecuteFn select_compare(std::span<const CompareRow> rows, const Instruction& instruction);

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
