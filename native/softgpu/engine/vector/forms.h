// From a row "operation, lane types, lambda on lane values" to functions that execute instructions.
//
// A Kernel computes lanes from source planes into destination planes. Three forms wrap it: execute_lean for
// instructions without modifiers whose sources are registers or single dwords (results are never in memory in between),
// execute_plain for others without modifiers of results, and execute_general, which prepares sources (SDWA, DPP,
// op_sel, neg, abs) and finishes results (omod, clamp, SDWA, op_sel) through temporary planes.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "softgpu/engine/vector/lane_symbols.h"
#include "softgpu/engine/vector/lanes.h"
#include "softgpu/engine/vector/operands.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

// Properties of a row beyond its types.
enum RowFlag : unsigned {
  kNone = 0,
  kAccumulate = 1,       // the last source is the destination register (v_fmac, v_mac, v_dot*c)
  kKeepNan = 2,          // the lambda decides about NaN results itself (selection rather than arithmetic)
  kFlushAlways = 4,      // denormals are flushed for any MODE (v_mad, v_mac, and the f32 transcendentals)
  kIgnoreRounding = 8,   // rounds to nearest even for any MODE (transcendentals)
  kPreserveHigh = 16,    // a 16-bit result leaves the register's other half alone (gfx9's newer 16-bit instructions)
  kBitwiseFloat = 32,    // sources are bits, but neg and abs are allowed and act as on f32 (v_cndmask_b32)
  kNoModifiers = 64,     // refuse every modifier, SDWA and DPP
  kKeepDenormals = 128,  // never flushes (v_frexp looks at the bits)
  kReadsVcc = 256,       // the last source is VCC, which the instruction does not name
};

// Result of an operation that also gives a bit a lane: carry, overflow, the scaling flag of v_div_scale.
template <class Tag>
struct WithBit {
  typename Tag::Value value;
  uint32_t bit;  // 0 or 1; as wide as a lane, for the vectoriser
};
template <class Tag>
struct BitAnd {  // destination tag: Tag's planes, then one plane of 0 / ~0
  using Value = WithBit<Tag>;
  static constexpr unsigned kDwords = Tag::kDwords, kBits = Tag::kBits;
  static constexpr Precision kPrecision = Tag::kPrecision;
  static void store(uint32_t* p, unsigned lane, Value v) {
    Tag::store(p, lane, v.value);
    p[Tag::kDwords * kLanes + lane] = 0u - v.bit;
  }
};
template <class Tag>
inline constexpr bool kHasBit = false;
template <class Tag>
inline constexpr bool kHasBit<BitAnd<Tag>> = true;

// A source that is one bit a lane of a scalar register pair; prepared as a plane of 0 / 1.
struct Mask {
  using Value = uint32_t;
  static constexpr unsigned kDwords = 1, kBits = 1;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return p[lane]; }
};

template <class Tag>
constexpr SourceRule source_rule(unsigned flags) {
  if (std::is_same_v<Tag, Mask>) return {SourceRule::kMask, 1, 1, false};
  const bool sign = Tag::kPrecision != Precision::kNone || (flags & kBitwiseFloat);
  return {SourceRule::kValue, static_cast<uint8_t>(Tag::kDwords), static_cast<uint8_t>(Tag::kBits), sign};
}

template <class Tag>
inline constexpr bool kIsFloat = Tag::kPrecision != Precision::kNone;

template <class Signature, class Lambda, unsigned kFlags>
struct Kernel;

template <class D, class... S, class Lambda, unsigned kFlags>
struct Kernel<D(S...), Lambda, kFlags> {
  static constexpr unsigned kSources = sizeof...(S);
  static constexpr unsigned kResultPlanes = D::kDwords + (kHasBit<D> ? 1 : 0);
  static constexpr bool kFloatResult = kIsFloat<D> && !kHasBit<D>;
  static constexpr bool kFixNan = kFloatResult && !(kFlags & kKeepNan);
  static constexpr bool kUsesF32 = D::kPrecision == Precision::kF32 || ((S::kPrecision == Precision::kF32) || ...);
  static constexpr bool kTakesMode = std::is_invocable_v<Lambda, const Mode&, typename S::Value...>;
  static constexpr bool kUsesF64F16 =
      D::kPrecision == Precision::kF64F16 || ((S::kPrecision == Precision::kF64F16) || ...);

  static constexpr FormRule rule() {
    FormRule r;
    r.sources = kSources;
    r.result_dwords = D::kDwords;
    r.result_bits = D::kBits;
    r.float_result = kIsFloat<D>;
    r.has_bit = kHasBit<D>;
    r.accumulate = kFlags & kAccumulate;
    r.reads_vcc = kFlags & kReadsVcc;
    r.preserve_high = kFlags & kPreserveHigh;
    r.f32_result = D::kPrecision == Precision::kF32;
    r.fixes_nan = kFixNan;
    r.follows_mode = kUsesF32 || kUsesF64F16 || kTakesMode;
    unsigned k = 0;
    ((r.source[k++] = source_rule<S>(kFlags)), ...);
    return r;
  }

  static constexpr FormRule kRule = rule();

  // Denormals that are flushed for any MODE are flushed in the fast loop, too.
  static constexpr bool kStaticFlush = (kFlags & kFlushAlways) != 0;

  // Lambdas that mix widths: NaNs are searched for in the results, because the vectoriser takes no reduction beside
  // them.
  static constexpr bool kLongLambda = (kFlags & kIgnoreRounding) != 0;

  static bool needs_slow(const Mode& mode) {
    if constexpr (kStaticFlush) {
      return rounding(mode) != 0 || (std::is_same_v<D, F16> && mode.fp16_overflow);
    }
    if constexpr (kUsesF32) {
      if (mode.denorm_f32 != 3 || mode.round_f32 != 0) return true;
    }
    if constexpr (kUsesF64F16) {
      if (mode.denorm_f64_f16 != 3 || mode.round_f64_f16 != 0 || mode.fp16_overflow) return true;
    }
    return false;
  }

  [[gnu::noinline]] static void compute(uint32_t* dst, const uint32_t* const* src, const Mode& mode) {
    if constexpr (kUsesF32 || kUsesF64F16) {
      if (needs_slow(mode)) [[unlikely]]
        return compute_by_mode(dst, src, mode);
    }
    fast(dst, src, mode, std::index_sequence_for<S...>());
  }

  // Like compute() if !needs_slow(), for 16 lanes; NaNs are not repaired. Sources of the set `kNegated` are negated.
  template <unsigned kNegated>
  KERNLOOP_LANE static void compute_group(uint32_t* dst, const uint32_t* const* src, const Mode& mode) {
    group<kNegated>(dst, src, mode, std::index_sequence_for<S...>());
  }
  KERNLOOP_LANE static void lane_group(uint32_t* dst, const uint32_t* const* src, const Mode& mode) {
    compute_group<0>(dst, src, mode);
  }
  // Lanes of the 32 that hold a NaN which may need repair.
  KERNLOOP_LANE static uint32_t half_nans(const uint32_t* dst) {
    if constexpr (D::kBits == 32) {
      if (!half_has_nan(dst)) [[likely]]
        return 0;
    }
    // An f64 with infinity's top dword may be a NaN: an unneeded repair only costs time.
    constexpr uint32_t keep = D::kBits == 16 ? 0x7fffu : 0x7fffffffu;
    constexpr uint32_t limit = D::kBits == 16 ? 0x7c00u : D::kBits == 64 ? 0x7fefffffu : 0x7f800000u;
    const uint32_t* top = dst + (D::kDwords - 1) * kLanes;
    return group_above(top, keep, limit) | group_above(top + kGroup, keep, limit) << kGroup;
  }

 private:
  // Lambdas that look at MODE (IEEE, rounding of an intermediate result) take it as their first parameter.
  static auto call(const Mode& mode, typename S::Value... v) {
    if constexpr (std::is_invocable_v<Lambda, const Mode&, typename S::Value...>) {
      return Lambda{}(mode, v...);
    } else {
      return Lambda{}(v...);
    }
  }

  template <size_t... K>
  static void fast(uint32_t* dst, const uint32_t* const* src, const Mode& mode, std::index_sequence<K...>) {
    const uint32_t* s[kSources == 0 ? 1 : kSources] = {src[K]...};
    [[maybe_unused]] uint32_t bad = 0;
    const Mode local = mode;  // a copy: stores to lanes cannot change it
#pragma GCC ivdep
    for (unsigned l = 0; l < kLanes; ++l) {
      const auto r = call(local, load_flushed<S>(s[K], l, kStaticFlush)...);
      if constexpr (kFixNan && !kLongLambda) bad |= r != r;
      store_flushed(dst, l, r);
    }
    if constexpr (kFixNan && kLongLambda) bad = any_nan(dst);
    if constexpr (kFixNan) {
      if (bad) [[unlikely]]
        fix_nans(dst, src, mode, std::index_sequence_for<S...>());
    }
  }

  template <unsigned kNegated, size_t... K>
  KERNLOOP_LANE static void group(uint32_t* dst, const uint32_t* const* src, const Mode& mode,
                                  std::index_sequence<K...>) {
    const uint32_t* s[] = {src[K]...};
    const Mode local = mode;
    KERNLOOP_LANE_LOOP
    for (unsigned l = 0; l < kGroup; ++l)
      store_flushed(dst, l,
                    call(local, with_sign<(kNegated >> K & 1) != 0>(load_flushed<S>(s[K], l, kStaticFlush))...));
  }
  template <bool kMinus, class V>
  KERNLOOP_LANE static V with_sign(V v) {
    if constexpr (kMinus) {
      return -v;
    } else {
      return v;
    }
  }
  template <class R>
  KERNLOOP_LANE static void store_flushed(uint32_t* dst, unsigned lane, R r) {
    if constexpr (!kStaticFlush || !kFloatResult) {
      D::store(dst, lane, r);
    } else if constexpr (std::is_same_v<D, F16>) {
      D::store(dst, lane, r);
      dst[lane] = flush_half_bits(dst[lane]);
    } else {
      D::store(dst, lane, flush_denormal(r));
    }
  }

  static uint32_t any_nan(const uint32_t* dst) {
    uint32_t any = 0;
    const uint32_t* top = dst + (D::kDwords - 1) * kLanes;
    for (unsigned l = 0; l < kLanes; ++l) {
      // An f64 with infinity's top dword may be a NaN: an unneeded repair only costs time.
      const uint32_t magnitude = top[l] & (D::kBits == 16 ? 0x7fffu : 0x7fffffffu);
      any |= D::kBits == 16 ? magnitude > 0x7c00u : D::kBits == 64 ? magnitude >= 0x7ff00000u : magnitude > 0x7f800000u;
    }
    return any;
  }

  // The result of arithmetic that gives a NaN: the first NaN among the sources, made quiet, else the default NaN.
  // x86 would choose by the order of its operands, which the compiler is free to change.
  template <size_t... K>
  [[gnu::noinline, gnu::cold]] static void fix_nans(uint32_t* dst, const uint32_t* const* src, const Mode& mode,
                                                    std::index_sequence<K...>) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const auto r = call(mode, load_flushed<S>(src[K], l, kStaticFlush)...);
      if (is_nan(r)) D::store(dst, l, nan_of(S::load(src[K], l)...));
    }
  }
  template <class... V>
  static auto nan_of(V... v) {
    using R = std::conditional_t<D::kBits == 64, double, float>;
    R nan = D::kBits == 64 ? static_cast<R>(as_double(kDefaultNan64)) : static_cast<R>(as_float(kDefaultNan32));
    bool found = false;
    (
        [&] {
          if constexpr (std::is_floating_point_v<V>) {
            if (!found && is_nan(v)) {
              nan = static_cast<R>(quiet(v));
              found = true;
            }
          }
        }(),
        ...);
    return nan;
  }

  static constexpr unsigned rounding(const Mode& mode) {
    if constexpr ((kFlags & kIgnoreRounding) != 0) return 0;
    if constexpr (D::kPrecision == Precision::kF32) return mode.round_f32;
    if constexpr (D::kPrecision == Precision::kF64F16) return mode.round_f64_f16;
    return 0;
  }

  [[gnu::noinline, gnu::cold]] static void compute_by_mode(uint32_t* dst, const uint32_t* const* src,
                                                           const Mode& mode) {
    const unsigned direction = rounding(mode);
    if (direction == 0) return slow(dst, src, mode, 0, std::index_sequence_for<S...>());
    RoundingScope scope(direction);
    slow(dst, src, mode, direction, std::index_sequence_for<S...>());
  }

  template <class Tag>
  static constexpr unsigned denormals(const Mode& mode) {
    if constexpr ((kFlags & kKeepDenormals) != 0) return 3;
    if constexpr ((kFlags & kFlushAlways) != 0 && Tag::kPrecision != Precision::kNone) return 0;
    if constexpr (Tag::kPrecision == Precision::kF32) return mode.denorm_f32;
    if constexpr (Tag::kPrecision == Precision::kF64F16) return mode.denorm_f64_f16;
    return 3;
  }
  template <class Tag>
  static typename Tag::Value load_flushed(const uint32_t* p, unsigned lane, bool flush) {
    typename Tag::Value v = Tag::load(p, lane);
    if constexpr (std::is_same_v<Tag, F16>) {
      if (flush) v = flush_half_denormal(v);
    } else if constexpr (std::is_floating_point_v<typename Tag::Value>) {
      if (flush) v = flush_denormal(v);
    }
    return v;
  }

  template <size_t... K>
  [[gnu::noinline]] static void slow(uint32_t* dst, const uint32_t* const* src, const Mode& mode, unsigned direction,
                                     std::index_sequence<K...>) {
    const bool flush_in[] = {!(denormals<S>(mode) & 1)..., false};
    const bool flush_out = !(denormals<D>(mode) & 2);
    for (unsigned l = 0; l < kLanes; ++l) {
      auto r = call(mode, load_flushed<S>(src[K], l, flush_in[K])...);
      if constexpr (kFixNan) {
        if (is_nan(r)) {
          D::store(dst, l, nan_of(S::load(src[K], l)...));
          continue;
        }
      }
      if constexpr (std::is_same_v<D, F16>) {
        uint32_t h = direction ? round_to_half(static_cast<double>(r), direction) : half_bits(r);
        if (flush_out) h = flush_half_bits(h);
        // FP16_OVFL: overflow gives the largest finite value, but a true infinity stays.
        if (mode.fp16_overflow && (h & 0x7fffu) == 0x7c00u && r - r == 0) h -= 1;
        dst[l] = h;
      } else {
        if constexpr (kFloatResult) {
          if (flush_out) r = flush_denormal(r);
        }
        D::store(dst, l, r);
      }
    }
  }
  static uint32_t half_bits(float v) {
    return float_to_half(v);
  }
  static uint32_t half_bits(double v) {
    return double_to_half(v);
  }
};

// Source k as planes: the register itself if it needs no change.
template <class K, unsigned k>
inline const uint32_t* plain_source(const Wave& wave, const Instruction& instruction, uint32_t* temporary) {
  static constexpr SourceRule kSource = K::kRule.source[k];
  constexpr bool is_explicit = k < K::kRule.explicit_sources();
  const Operand& operand = is_explicit ? instruction.src[k] : K::kRule.accumulate ? instruction.dst[0] : kVccOperand;
  const uint32_t* planes = broadcast(wave, operand, kSource, temporary);
  if constexpr (kSource.sign_modifiers && is_explicit) {
    if (operand.negate || operand.absolute) return with_sign(planes, operand, kSource, temporary);
  }
  return planes;
}

template <class K, size_t... k>
inline void execute_plain(Wave& wave, const Instruction& instruction, std::index_sequence<k...>) {
  constexpr const FormRule& rule = K::kRule;
  const uint64_t exec = wave.exec();
  alignas(64) uint32_t temporary[rule.sources + 1][kMaxPlanes * kLanes];
  const uint32_t* const src[] = {plain_source<K, k>(wave, instruction, temporary[k])..., nullptr};
  uint32_t* dst = wave.vgpr[instruction.dst[0].index];
  // A NaN is repaired from the sources, so these must not be overwritten before.
  if constexpr (!K::kFixNan && !rule.has_bit && !rule.preserve_high) {
    if (exec == ~0ull) {
      K::compute(dst, src, wave.mode);
      return;
    }
  }
  alignas(64) uint32_t result[K::kResultPlanes * kLanes];
  K::compute(result, src, wave.mode);
  if constexpr (rule.preserve_high) {
    for (unsigned l = 0; l < kLanes; ++l) result[l] = (result[l] & 0xffffu) | (dst[l] & 0xffff0000u);
  }
  write_planes(dst, result, rule.result_dwords, exec);
  if constexpr (rule.has_bit) {
    wave.set_sgpr64(instruction.dst[1].index, gather_mask(result + rule.result_dwords * kLanes) & exec);
  }
}

// A row's lanes, from planes into planes, in the mode of a wave.
using ComputeFn = void (*)(uint32_t* dst, const uint32_t* const* src, const Mode& mode);

// The same by a rule evaluated at run time. `in_place`: the computation may overwrite its sources.
void compute_plain(Wave& wave, const Instruction& instruction, const FormRule& rule, ComputeFn compute, bool in_place);

template <class K>
void execute_plain(Wave& wave, const Instruction& instruction) {
  // Rows of single dwords are lean as a rule.
  if constexpr (K::kRule.is_of_dwords()) {
    compute_plain(wave, instruction, K::kRule, K::compute, !K::kFixNan && !K::kRule.has_bit && !K::kRule.preserve_high);
  } else {
    execute_plain<K>(wave, instruction, std::make_index_sequence<K::kSources>());
  }
}

// Any sources and modifiers that the rule allows.
void compute_general(Wave& wave, const Instruction& instruction, const FormRule& rule, ComputeFn compute);

// A source by groups of lanes, or a mask's bits.
struct LeanSource {
  const uint32_t* lanes;
  size_t step;  // from one group to the next; 0: one serves all
  uint64_t mask;
};

KERNLOOP_LANE LeanSource lean_value(const Wave& wave, const Operand& operand, uint32_t* temporary) {
  if (operand.kind == Operand::Kind::kVgpr) [[likely]]
    return {wave.vgpr[operand.index], kGroup, 0};
  const bool is_constant = operand.kind == Operand::Kind::kConstant;
  fill_group(temporary, is_constant ? static_cast<uint32_t>(operand.value) : wave.sgpr[operand.index]);
  return {temporary, 0, 0};
}
template <class K, unsigned k>
KERNLOOP_LANE LeanSource lean_source(const Wave& wave, const Instruction& instruction, uint32_t* temporary) {
  constexpr SourceRule rule = K::kRule.source[k];
  constexpr bool is_explicit = k < K::kRule.explicit_sources();
  const Operand& operand = is_explicit ? instruction.src[k] : K::kRule.accumulate ? instruction.dst[0] : kVccOperand;
  if constexpr (rule.kind == SourceRule::kMask) {
    return {nullptr, 0, operand.kind == Operand::Kind::kSgpr ? wave.sgpr64(operand.index) : operand.value};
  }
  return lean_value(wave, operand, temporary);
}

// The pointers of one group; masks are spread out into `bits`.
template <class K, size_t... k>
KERNLOOP_LANE void point_at_group(const uint32_t** src, const LeanSource* sources, unsigned group,
                                  uint32_t (*bits)[kGroup], std::index_sequence<k...>) {
  (
      [&] {
        if constexpr (K::kRule.source[k].kind == SourceRule::kMask) {
          expand_group(bits[k], sources[k].mask >> (group * kGroup));
          src[k] = bits[k];
        } else {
          src[k] = sources[k].lanes + group * sources[k].step;
        }
      }(),
      ...);
}

// 32 lanes with NaNs among their results, of which nothing is written yet.
template <class K>
[[gnu::noinline, gnu::cold]] void execute_with_nans(Wave& wave, const Instruction& instruction, uint64_t lanes) {
  const uint64_t exec = wave.exec();
  wave.set_exec(lanes);
  execute_plain<K>(wave, instruction);
  wave.set_exec(exec);
}

// Half by half, each from its sources to its destination before the next one: lanes are independent, so that the
// destination may overlap the sources. A half without an active lane (always the second one of a wave of 32) costs
// nothing.
template <class K, unsigned kNegated, size_t... k>
KERNLOOP_LANE void execute_lean(Wave& wave, const Instruction& instruction, std::index_sequence<k...> all) {
  constexpr const FormRule& rule = K::kRule;
  alignas(64) uint32_t temporary[rule.sources][kGroup];
  const LeanSource sources[] = {lean_source<K, k>(wave, instruction, temporary[k])...};
  uint32_t* const to = wave.vgpr[instruction.dst[0].index];
  const Mode mode = wave.mode;
  const uint64_t exec = wave.exec();
  [[maybe_unused]] uint64_t bits_out = 0;
  for (unsigned first = 0; first < kLanes; first += kHalf) {
    const auto active = static_cast<uint32_t>(exec >> first);
    if (active == 0) [[unlikely]]
      continue;
    alignas(64) uint32_t result[K::kResultPlanes * kLanes];
    for (unsigned part = 0; part < kHalf; part += kGroup) {
      alignas(64) uint32_t bits[rule.sources][kGroup];
      const uint32_t* src[rule.sources];
      point_at_group<K>(src, sources, (first + part) / kGroup, bits, all);
      K::template compute_group<kNegated>(result + part, src, mode);
    }
    if constexpr (K::kFixNan) {
      if (const uint32_t nans = K::half_nans(result); nans & active) [[unlikely]] {
        execute_with_nans<K>(wave, instruction, static_cast<uint64_t>(active) << first);
        continue;
      }
    }
    uint32_t* dst = to + first;
    if constexpr (rule.preserve_high) {
      for (unsigned l = 0; l < kHalf; ++l) result[l] = (result[l] & 0xffffu) | (dst[l] & 0xffff0000u);
    }
    for (unsigned plane = 0; plane < rule.result_dwords; ++plane)
      write_half(dst + plane * kLanes, result + plane * kLanes, active);
    if constexpr (rule.has_bit)
      bits_out |= static_cast<uint64_t>(gather_half(result + rule.result_dwords * kLanes)) << first;
  }
  if constexpr (rule.has_bit) wave.set_sgpr64(instruction.dst[1].index, bits_out & exec);
}

template <class K, unsigned kNegated = 0>
void execute_lean(Wave& wave, const Instruction& instruction) {
  if constexpr (K::kUsesF32 || K::kUsesF64F16) {
    if (K::needs_slow(wave.mode)) [[unlikely]]
      return execute_plain<K>(wave, instruction);
  }
  execute_lean<K, kNegated>(wave, instruction, std::make_index_sequence<K::kSources>());
}

template <class K>
void execute_general(Wave& wave, const Instruction& instruction) {
  compute_general(wave, instruction, K::kRule, K::compute);
}

// One operation. `clamped` is the saturating form of integer operations that have one.
struct Row {
  Op op;
  FormRule rule;
  ExecuteFn lean;
  ExecuteFn plain;
  ExecuteFn general;
  ExecuteFn clamped;
  unsigned flags;
  ExecuteFn lean_negated[3] = {};  // with one source negated, if that is usual
};

template <Op op, class Signature, unsigned kFlags = kNone, class Lambda>
constexpr Row row(Lambda) {
  using K = Kernel<Signature, Lambda, kFlags>;
  name_lanes<op, K>();
  return {op, K::kRule, execute_lean<K>, execute_plain<K>, execute_general<K>, nullptr, kFlags};
}
template <Op op, class Signature, unsigned kFlags = kNone, class Lambda, class Saturating>
constexpr Row row(Lambda, Saturating) {
  using K = Kernel<Signature, Lambda, kFlags>;
  name_lanes<op, K>();
  return {op,
          K::kRule,
          execute_lean<K>,
          execute_plain<K>,
          execute_general<K>,
          execute_general<Kernel<Signature, Saturating, kFlags>>,
          kFlags};
}

// The function for an instruction of this row, or nullptr if the row does not cover its operands or modifiers.
ExecuteFn select_row(const Row& row, const Instruction& instruction);

// True if the rule covers count, kinds and modifiers of the sources.
bool sources_fit(const FormRule& rule, const Instruction& instruction);
bool has_source_modifiers(const FormRule& rule, const Instruction& instruction);
// True if execute_lean takes every source, signs aside.
bool sources_are_lean(const FormRule& rule, const Instruction& instruction);

// Tables of the semantics files; row_tables.cpp lists them.
using RowTable = std::span<const Row>;

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
