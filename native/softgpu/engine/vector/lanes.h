// Registers as planes of 64 lanes, and the types that lane values have. A value of n dwords is in n consecutive planes:
// lane l of plane k is p[k * kLanes + l], as in the register file.
#pragma once

#include <cstdint>

#include "softgpu/engine/vector/float_rules.h"
#include "softgpu/engine/vector/planes.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

// Treatment of a type's values by the mode register.
enum class Precision : uint8_t { kNone, kF32, kF64F16 };

// A lane type names how bits are read from planes, computed with, and written back.
struct U32 {
  using Value = uint32_t;
  static constexpr unsigned kDwords = 1, kBits = 32;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return p[lane]; }
  static void store(uint32_t* p, unsigned lane, Value v) { p[lane] = v; }
};
struct I32 {
  using Value = int32_t;
  static constexpr unsigned kDwords = 1, kBits = 32;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return static_cast<int32_t>(p[lane]); }
  static void store(uint32_t* p, unsigned lane, Value v) { p[lane] = static_cast<uint32_t>(v); }
};
struct U64 {
  using Value = uint64_t;
  static constexpr unsigned kDwords = 2, kBits = 64;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) {
    return p[lane] | static_cast<uint64_t>(p[kLanes + lane]) << 32;
  }
  static void store(uint32_t* p, unsigned lane, Value v) {
    p[lane] = static_cast<uint32_t>(v);
    p[kLanes + lane] = static_cast<uint32_t>(v >> 32);
  }
};
// The same bits as two dwords, a form that vectorises: no widening, no narrowing.
struct Dwords {
  uint32_t low, high;
};
struct Pair {
  using Value = Dwords;
  static constexpr unsigned kDwords = 2, kBits = 64;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return {p[lane], p[kLanes + lane]}; }
  static void store(uint32_t* p, unsigned lane, Value v) {
    p[lane] = v.low;
    p[kLanes + lane] = v.high;
  }
};
struct I64 {
  using Value = int64_t;
  static constexpr unsigned kDwords = 2, kBits = 64;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return static_cast<int64_t>(U64::load(p, lane)); }
  static void store(uint32_t* p, unsigned lane, Value v) { U64::store(p, lane, static_cast<uint64_t>(v)); }
};
// 16-bit values use the low half; results are zero-extended (what happens to the register's high half is the form's
// rule).
struct U16 {
  using Value = uint32_t;
  static constexpr unsigned kDwords = 1, kBits = 16;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return p[lane] & 0xffff; }
  static void store(uint32_t* p, unsigned lane, Value v) { p[lane] = v & 0xffff; }
};
struct I16 {
  using Value = int32_t;
  static constexpr unsigned kDwords = 1, kBits = 16;
  static constexpr Precision kPrecision = Precision::kNone;
  static Value load(const uint32_t* p, unsigned lane) { return static_cast<int16_t>(p[lane]); }
  static void store(uint32_t* p, unsigned lane, Value v) { p[lane] = static_cast<uint32_t>(v) & 0xffff; }
};
struct F32 {
  using Value = float;
  static constexpr unsigned kDwords = 1, kBits = 32;
  static constexpr Precision kPrecision = Precision::kF32;
  static Value load(const uint32_t* p, unsigned lane) { return as_float(p[lane]); }
  static void store(uint32_t* p, unsigned lane, Value v) { p[lane] = bits(v); }
};
struct F64 {
  using Value = double;
  static constexpr unsigned kDwords = 2, kBits = 64;
  static constexpr Precision kPrecision = Precision::kF64F16;
  static Value load(const uint32_t* p, unsigned lane) { return as_double(U64::load(p, lane)); }
  static void store(uint32_t* p, unsigned lane, Value v) { U64::store(p, lane, bits(v)); }
};
// Computed with as float, which holds every half exactly; sums, products, quotients and roots of halves rounded to
// float and then to half equal those rounded once (24 >= 2*11+2 bits). Operations for which that fails give a double.
struct F16 {
  using Value = float;
  static constexpr unsigned kDwords = 1, kBits = 16;
  static constexpr Precision kPrecision = Precision::kF64F16;
  static Value load(const uint32_t* p, unsigned lane) { return half_to_float(p[lane]); }
  static void store(uint32_t* p, unsigned lane, float v) { p[lane] = float_to_half(v); }
  static void store(uint32_t* p, unsigned lane, double v) { p[lane] = double_to_half(v); }
};

inline uint32_t count_bits(uint32_t v) {  // compilers count better known forms lane by lane
  v = v - (v >> 1 & 0x77777777u) - (v >> 2 & 0x33333333u) - (v >> 3 & 0x11111111u);
  return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
