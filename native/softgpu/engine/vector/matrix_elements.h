// Elements of matrices as lanes hold them, and the placement of C's and D's; mfma.cpp names the sources.
#pragma once

#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

// Elements of A and B as lanes hold them.
struct SingleElement {
  using Sum = float;
  static constexpr unsigned kPerLane = 1, kResultDwords = 1;
  static constexpr bool kFlushes = false;
  static Sum load(const uint32_t* p, unsigned lane, unsigned) { return as_float(p[lane]); }
};
struct DoubleElement {
  using Sum = double;
  static constexpr unsigned kPerLane = 1, kResultDwords = 2;
  static constexpr bool kFlushes = false;
  static Sum load(const uint32_t* p, unsigned lane, unsigned) { return F64::load(p, lane); }
};
template <bool kFlush>
struct HalfElement {
  using Sum = float;
  static constexpr unsigned kPerLane = 4, kResultDwords = 1;
  static constexpr bool kFlushes = kFlush;
  static Sum load(const uint32_t* p, unsigned lane, unsigned e) {
    const float v = half_to_float((p[e / 2 * kLanes + lane] >> (16 * (e & 1))) & 0xffffu);
    return kFlush ? flush_half_denormal(v) : v;
  }
};
template <unsigned kElements, bool kFlush = true>
struct BrainElement {  // bf16: two a lane in the older forms, four in the _1k ones
  using Sum = float;
  static constexpr unsigned kPerLane = kElements, kResultDwords = 1;
  static constexpr bool kFlushes = kFlush;
  static Sum load(const uint32_t* p, unsigned lane, unsigned e) {
    const float v = as_float((p[e / 2 * kLanes + lane] >> (16 * (e & 1))) << 16);
    return kFlush ? flush_denormal(v) : v;
  }
};
constexpr uint32_t byte_of(const uint32_t* p, unsigned lane, unsigned e) {
  return p[e / 4 * kLanes + lane] >> (8 * (e % 4)) & 0xff;
}
template <unsigned kElements>
struct ByteElement {
  using Sum = int32_t;
  static constexpr unsigned kPerLane = kElements, kResultDwords = 1;
  static constexpr bool kFlushes = false;
  static Sum load(const uint32_t* p, unsigned lane, unsigned e) { return static_cast<int8_t>(byte_of(p, lane, e)); }
};
// A and B may have different formats of 8 bits.
template <unsigned kMantissaOfA, unsigned kMantissaOfB>
struct Float8Element {
  using Sum = float;
  static constexpr unsigned kPerLane = 8, kResultDwords = 1;
  static constexpr bool kFlushes = false;
  static Sum load(const uint32_t* p, unsigned lane, unsigned e) {
    return float8_to_float<kMantissaOfA>(byte_of(p, lane, e));
  }
  static Sum load_b(const uint32_t* p, unsigned lane, unsigned e) {
    return float8_to_float<kMantissaOfB>(byte_of(p, lane, e));
  }
};
inline constexpr unsigned kFp8 = 3, kBf8 = 2;  // bits of mantissa

inline float multiply_add(float sum, float a, float b) {
  return fused(a, b, sum);
}
inline double multiply_add(double sum, double a, double b) {
  return fused(a, b, sum);
}
inline int32_t multiply_add(int32_t sum, int32_t a, int32_t b) {  // wraps
  return static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(a * b));
}

struct Place {
  unsigned result, lane;  // index of a lane's result
};
// C[i][j] and D[i][j]. Results of 32 bits come in groups of four rows; f64 rows are dealt out one by one.
template <unsigned kSize, unsigned kBlocks, bool kWide>
constexpr Place place(unsigned block, unsigned i, unsigned j) {
  constexpr unsigned lane_groups = kLanes / kSize;
  if constexpr (kWide) {
    return kSize == 4 ? Place{0, j + 4 * block + 16 * i} : Place{i / 4, j + 16 * (i % 4)};
  } else if constexpr (kSize == 4) {
    return {i, j + 4 * block};
  } else {
    const unsigned group = i / 4;
    return {block * (kSize / lane_groups) + group / lane_groups * 4 + i % 4, j + kSize * (group % lane_groups)};
  }
}

template <class Sum>
Sum load_sum(const uint32_t* p, unsigned lane) {
  if constexpr (sizeof(Sum) == 8) {
    return F64::load(p, lane);
  } else {
    return __builtin_bit_cast(Sum, p[lane]);
  }
}
template <class Sum>
void store_sum(uint32_t* p, unsigned lane, Sum v) {
  if constexpr (sizeof(Sum) == 8) {
    F64::store(p, lane, is_nan(v) ? as_double(kDefaultNan64) : v);
  } else if constexpr (std::is_same_v<Sum, float>) {
    p[lane] = is_nan(v) ? kDefaultNan32 : bits(v);
  } else {
    p[lane] = static_cast<uint32_t>(v);
  }
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
