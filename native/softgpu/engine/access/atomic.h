// Read-modify-write operations of vector memory instructions and of LDS, on host memory that has been checked.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/access/transfer.h"
#include "softgpu/engine/observe/float_atomic_watch.h"
#include "softgpu/engine/wave/permutation.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

enum class Atomic : uint8_t {
  kSwap,
  kCompareSwap,
  kAdd,
  kSub,
  kReverseSub,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kIncrement,
  kDecrement,
  kMaskedOr,
  kWrap,
  kFloatAdd,
  kFloatMin,
  kFloatMax,
  kFloatCompareSwap,
  kPackedHalfAdd,
  kPackedBfloatAdd,
  kClampedSub,
};

constexpr bool is_float(Atomic atomic) {
  return atomic == Atomic::kFloatAdd || atomic == Atomic::kFloatMin || atomic == Atomic::kFloatMax ||
         atomic == Atomic::kFloatCompareSwap || atomic == Atomic::kPackedHalfAdd || atomic == Atomic::kPackedBfloatAdd;
}

// Ahead of MemoryPort::check_global(), which replaces the addresses.
template <Atomic atomic>
inline void note_atomic(const Wave& wave, const Instruction& instruction, const LaneAddresses& addresses,
                        uint64_t lanes, uint32_t bytes) {
  if constexpr (is_float(atomic)) {
    if (FloatAtomicWatch* const watch = wave.memory->float_atomics)
      watch->note(wave, instruction, addresses, lanes, bytes);
  }
}

// Relevant parts of the wave's MODE: the memory units flush 32-bit denormals always (LLVM: gfx90a lacks
// memory-atomic-fadd-f32-denormal-support) or, on gfx942 and gfx1100, which have it, never; LDS as MODE says.
struct AtomicMode {
  bool flush_f32 = false;
  bool flush_f64 = false;
};

inline AtomicMode memory_atomic_mode(Isa isa) {
  return AtomicMode{.flush_f32 = isa != Isa::kGfx942 && isa != Isa::kGfx1100};
}

// For LDS and private memory. Refuses modes whose effect on the atomic units is undocumented.
template <Atomic atomic, typename T>
inline AtomicMode wave_atomic_mode(const Wave& wave) {
  if constexpr (atomic == Atomic::kFloatAdd) {
    const uint8_t round = sizeof(T) == 4 ? wave.mode.round_f32 : wave.mode.round_f64_f16;
    const uint8_t denorm = sizeof(T) == 4 ? wave.mode.denorm_f32 : wave.mode.denorm_f64_f16;
    if (round != 0 || (denorm != 0 && denorm != 3))
      raise_unsupported("floating-point atomic in a MODE other than to nearest, denormals all kept or all flushed");
    return AtomicMode{.flush_f32 = denorm == 0, .flush_f64 = denorm == 0};
  }
  if constexpr (atomic == Atomic::kPackedBfloatAdd) {
    if (wave.mode.denorm_f32 != 3 || wave.mode.denorm_f64_f16 != 3)
      raise_unsupported("atomic sum of bfloat16 in a MODE that flushes denormals");
  }
  return {};
}

namespace atomic_detail {

inline float as_float(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
inline double as_float(uint64_t bits) {
  double f;
  std::memcpy(&f, &bits, 8);
  return f;
}
inline uint32_t as_bits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}
inline uint64_t as_bits(double f) {
  uint64_t bits;
  std::memcpy(&bits, &f, 8);
  return bits;
}

template <typename F>
inline F flush(F x, bool enabled) {
  return enabled && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(F{0}, x) : x;
}

// A NaN that no operand brought is the positive quiet one; a NaN operand is passed on, quieted.
template <typename U>
inline U add_floats(U a_bits, U b_bits, bool flush_denormals) {
  constexpr U kQuietNan = sizeof(U) == 4 ? static_cast<U>(0x7fc00000u) : static_cast<U>(0x7ff8000000000000ull);
  constexpr U kQuietBit = sizeof(U) == 4 ? static_cast<U>(1u << 22) : static_cast<U>(1ull << 51);
  const auto a = flush(as_float(a_bits), flush_denormals), b = flush(as_float(b_bits), flush_denormals);
  if (std::isnan(a)) return a_bits | kQuietBit;
  if (std::isnan(b)) return b_bits | kQuietBit;
  const auto sum = a + b;
  return std::isnan(sum) ? kQuietNan : as_bits(flush(sum, flush_denormals));
}

// minNum / maxNum: a number wins over a NaN, -0 is below +0.
template <typename U, bool want_max>
inline U choose_float(U memory_bits, U data_bits) {
  const auto memory = as_float(memory_bits), data = as_float(data_bits);
  if (std::isnan(data)) return memory_bits;
  if (std::isnan(memory)) return data_bits;
  const bool data_below = data < memory || (data == memory && std::signbit(data) && !std::signbit(memory));
  const bool data_above = data > memory || (data == memory && !std::signbit(data) && std::signbit(memory));
  return (want_max ? data_above : data_below) ? data_bits : memory_bits;
}

uint16_t add_halves(uint16_t a, uint16_t b);
uint16_t add_bfloats(uint16_t a, uint16_t b);

}  // namespace atomic_detail

// The value that replaces `old`. T is int32_t, uint32_t, int64_t or uint64_t; `data` holds the one or two data
// operands.
template <Atomic atomic, typename T>
inline T combine(T old, const T* data, AtomicMode mode) {
  using U = std::make_unsigned_t<T>;
  using namespace atomic_detail;
  [[maybe_unused]] const U memory = static_cast<U>(old);
  [[maybe_unused]] const U first = static_cast<U>(data[0]);
  if constexpr (atomic == Atomic::kSwap) return data[0];
  if constexpr (atomic == Atomic::kAdd) return static_cast<T>(memory + first);
  if constexpr (atomic == Atomic::kSub) return static_cast<T>(memory - first);
  if constexpr (atomic == Atomic::kReverseSub) return static_cast<T>(first - memory);
  if constexpr (atomic == Atomic::kMin) return data[0] < old ? data[0] : old;
  if constexpr (atomic == Atomic::kMax) return data[0] > old ? data[0] : old;
  if constexpr (atomic == Atomic::kClampedSub) return memory < first ? T{0} : static_cast<T>(memory - first);
  if constexpr (atomic == Atomic::kAnd) return static_cast<T>(memory & first);
  if constexpr (atomic == Atomic::kOr) return static_cast<T>(memory | first);
  if constexpr (atomic == Atomic::kXor) return static_cast<T>(memory ^ first);
  if constexpr (atomic == Atomic::kIncrement) return memory >= first ? T{0} : static_cast<T>(memory + 1);
  if constexpr (atomic == Atomic::kDecrement)
    return memory == 0 || memory > first ? data[0] : static_cast<T>(memory - 1);
  if constexpr (atomic == Atomic::kMaskedOr) return static_cast<T>((memory & ~first) | static_cast<U>(data[1]));
  if constexpr (atomic == Atomic::kWrap)
    return static_cast<T>(memory >= first ? memory - first : memory + static_cast<U>(data[1]));
  // data[0] is compared, data[1] is the new value
  if constexpr (atomic == Atomic::kCompareSwap) return old == data[0] ? data[1] : old;
  if constexpr (atomic == Atomic::kFloatCompareSwap) return as_float(memory) == as_float(first) ? data[1] : old;
  if constexpr (atomic == Atomic::kFloatAdd) {
    return static_cast<T>(add_floats<U>(memory, first, sizeof(T) == 4 ? mode.flush_f32 : mode.flush_f64));
  }
  if constexpr (atomic == Atomic::kFloatMin) return static_cast<T>(choose_float<U, false>(memory, first));
  if constexpr (atomic == Atomic::kFloatMax) return static_cast<T>(choose_float<U, true>(memory, first));
  if constexpr (atomic == Atomic::kPackedHalfAdd || atomic == Atomic::kPackedBfloatAdd) {
    constexpr auto add = atomic == Atomic::kPackedHalfAdd ? add_halves : add_bfloats;
    const uint32_t low = add(static_cast<uint16_t>(memory), static_cast<uint16_t>(first));
    const uint32_t high = add(static_cast<uint16_t>(memory >> 16), static_cast<uint16_t>(first >> 16));
    return static_cast<T>(low | high << 16);
  }
}

constexpr unsigned data_count(Atomic atomic) {
  return atomic == Atomic::kCompareSwap || atomic == Atomic::kFloatCompareSwap || atomic == Atomic::kMaskedOr ||
                 atomic == Atomic::kWrap
             ? 2
             : 1;
}

// Other threads and the CPU may use the same memory at the same time.
template <Atomic atomic, typename T>
inline T modify_shared(T* at, const T* data, AtomicMode mode) {
  if constexpr (atomic == Atomic::kSwap) return __atomic_exchange_n(at, data[0], __ATOMIC_SEQ_CST);
  if constexpr (atomic == Atomic::kAdd) return __atomic_fetch_add(at, data[0], __ATOMIC_SEQ_CST);
  if constexpr (atomic == Atomic::kSub) return __atomic_fetch_sub(at, data[0], __ATOMIC_SEQ_CST);
  T old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(at, &old, combine<atomic, T>(old, data, mode), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return old;
}

// Order in which the lanes of one instruction execute it: hardware defines none.
struct LaneOrder {
  unsigned first = 0, step = 1;  // odd

  static LaneOrder of(const Wave& wave) {
    const uint64_t seed = wave.memory->lane_seed;
    if (seed == 0) return {};
    const uint64_t drawn = mix(seed ^ mix(wave.workgroup->ordinal << 6 | wave.index_in_workgroup) ^ wave.instructions);
    return {static_cast<unsigned>(drawn % kLanes), static_cast<unsigned>(drawn >> 8 & 15) * 2 + 1};
  }
  template <typename F>
  void for_lanes(uint64_t lanes, F&& f) const {
    if (first == 0 && step == 1) return softgpu::for_lanes(lanes, f);
    for (unsigned k = 0; k < kLanes; ++k) {
      const unsigned lane = (first + k * step) % kLanes;
      if (lanes >> lane & 1) f(lane);
    }
  }
};

// All lanes modify one place, in the given order and as a whole. `take_values(lane, values)` gives the data operands;
// `olds`: a lane's old value, or nullptr.
template <Atomic atomic, typename T, typename TakeValues>
inline void modify_one_place(T* at, uint64_t lanes, LaneOrder order, AtomicMode mode, T* olds,
                             TakeValues&& take_values) {
  T before = __atomic_load_n(at, __ATOMIC_SEQ_CST), after;
  do {
    after = before;
    order.for_lanes(lanes, [&](unsigned lane) {
      if (olds) olds[lane] = after;
      T values[2];
      take_values(lane, values);
      after = combine<atomic, T>(after, values, mode);
    });
  } while (!__atomic_compare_exchange_n(at, &before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

// LDS and private memory belong to one worker thread.
template <Atomic atomic, typename T>
inline T modify_private(T* at, const T* data, AtomicMode mode) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T next = combine<atomic, T>(old, data, mode);
  std::memcpy(at, &next, sizeof next);
  return old;
}

// Lanes in the given order. `data`: rows of the first operand; `second`: rows of the second, if there is one. `result`:
// rows for the old values, or nullptr.
template <Atomic atomic, typename T, bool shared, typename Where>
inline void modify_lanes(const Where& where, uint64_t lanes, const VectorRegister* data, const VectorRegister* second,
                         VectorRegister* result, AtomicMode mode, LaneOrder order = {}) {
  const auto operand = [](const VectorRegister* rows, unsigned lane) {
    if constexpr (sizeof(T) == 4) {
      return static_cast<T>(rows[0][lane]);
    } else {
      return static_cast<T>(rows[0][lane] | uint64_t{rows[1][lane]} << 32);
    }
  };
  const auto take_values = [&](unsigned lane, T* values) {
    values[0] = operand(data, lane);
    if constexpr (data_count(atomic) == 2) values[1] = operand(second, lane);
  };
  const auto give = [result](unsigned lane, T old) {
    result[0][lane] = static_cast<uint32_t>(old);
    if constexpr (sizeof(T) == 8) result[1][lane] = static_cast<uint32_t>(static_cast<uint64_t>(old) >> 32);
  };
  if constexpr (shared) {
    if (where.uniform && (lanes & (lanes - 1)) != 0) {
      T olds[kLanes];
      modify_one_place<atomic, T>(reinterpret_cast<T*>(where.host(__builtin_ctzll(lanes))), lanes, order, mode,
                                  result ? olds : nullptr, take_values);
      if (result) for_lanes(lanes, [&](unsigned lane) { give(lane, olds[lane]); });
      return;
    }
  }
  order.for_lanes(lanes, [&](unsigned lane) {
    T values[2];
    take_values(lane, values);
    T* at = reinterpret_cast<T*>(where.host(lane));
    const T old = shared ? modify_shared<atomic, T>(at, values, mode) : modify_private<atomic, T>(at, values, mode);
    if (result) give(lane, old);
  });
}

// Rows of a select function: the integer atomics of `prefix`, executed by FUNCTION<Atomic::…, type>.
#define KERNLOOP_SELECT_INTEGER_ATOMICS(prefix, suffix, S, U, FUNCTION) \
  case Op::prefix##_atomic_swap##suffix:                                \
    return FUNCTION<Atomic::kSwap, U>;                                  \
  case Op::prefix##_atomic_cmpswap##suffix:                             \
    return FUNCTION<Atomic::kCompareSwap, U>;                           \
  case Op::prefix##_atomic_add##suffix:                                 \
    return FUNCTION<Atomic::kAdd, U>;                                   \
  case Op::prefix##_atomic_sub##suffix:                                 \
    return FUNCTION<Atomic::kSub, U>;                                   \
  case Op::prefix##_atomic_smin##suffix:                                \
    return FUNCTION<Atomic::kMin, S>;                                   \
  case Op::prefix##_atomic_umin##suffix:                                \
    return FUNCTION<Atomic::kMin, U>;                                   \
  case Op::prefix##_atomic_smax##suffix:                                \
    return FUNCTION<Atomic::kMax, S>;                                   \
  case Op::prefix##_atomic_umax##suffix:                                \
    return FUNCTION<Atomic::kMax, U>;                                   \
  case Op::prefix##_atomic_and##suffix:                                 \
    return FUNCTION<Atomic::kAnd, U>;                                   \
  case Op::prefix##_atomic_or##suffix:                                  \
    return FUNCTION<Atomic::kOr, U>;                                    \
  case Op::prefix##_atomic_xor##suffix:                                 \
    return FUNCTION<Atomic::kXor, U>;                                   \
  case Op::prefix##_atomic_inc##suffix:                                 \
    return FUNCTION<Atomic::kIncrement, U>;                             \
  case Op::prefix##_atomic_dec##suffix:                                 \
    return FUNCTION<Atomic::kDecrement, U>;

#define KERNLOOP_SELECT_ATOMICS(prefix, FUNCTION)                           \
  KERNLOOP_SELECT_INTEGER_ATOMICS(prefix, , int32_t, uint32_t, FUNCTION)    \
  KERNLOOP_SELECT_INTEGER_ATOMICS(prefix, _x2, int64_t, uint64_t, FUNCTION) \
  case Op::prefix##_atomic_add_f64:                                         \
    return FUNCTION<Atomic::kFloatAdd, uint64_t>;                           \
  case Op::prefix##_atomic_min_f64:                                         \
    return FUNCTION<Atomic::kFloatMin, uint64_t>;                           \
  case Op::prefix##_atomic_max_f64:                                         \
    return FUNCTION<Atomic::kFloatMax, uint64_t>;

// Atomics of gfx1030 only.
#define KERNLOOP_SELECT_RDNA2_ATOMICS(prefix, FUNCTION)   \
  case Op::prefix##_atomic_fmin:                          \
    return FUNCTION<Atomic::kFloatMin, uint32_t>;         \
  case Op::prefix##_atomic_fmax:                          \
    return FUNCTION<Atomic::kFloatMax, uint32_t>;         \
  case Op::prefix##_atomic_fcmpswap:                      \
    return FUNCTION<Atomic::kFloatCompareSwap, uint32_t>; \
  case Op::prefix##_atomic_fmin_x2:                       \
    return FUNCTION<Atomic::kFloatMin, uint64_t>;         \
  case Op::prefix##_atomic_fmax_x2:                       \
    return FUNCTION<Atomic::kFloatMax, uint64_t>;         \
  case Op::prefix##_atomic_fcmpswap_x2:                   \
    return FUNCTION<Atomic::kFloatCompareSwap, uint64_t>;

}  // namespace kernloop::softgpu
