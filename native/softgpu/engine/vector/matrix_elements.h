// Elements of matrices as lanes hold them, and the placement of C's and D's; mfma.cpp names the sources.
#pragma once

#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

#if defined(__FMA__)
inline constexpr bool kHostIsFused = true;
#else
inline constexpr bool kHostIsFused = false;
#endif

// flush_half_denormal(half_to_float(h)).
KERNLOOP_LANE float flushed_half_to_float(uint32_t h) {
  const uint32_t magnitude = (h & 0x7fffu) << 13;
  const uint32_t normal = magnitude < 0x400u << 13 ? 0 : magnitude + (112u << 23);
  const uint32_t number = magnitude >= 0x7c00u << 13 ? magnitude | 0x7f800000u : normal;
  return as_float((h & 0x8000u) << 16 | number);
}

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
// Single precision without the last 13 bits of the mantissa, which hardware cuts off (measured on gfx942 by AMD's pull
// request rocm-libraries 9176, and by MMA-Sim, arXiv 2511.10909). A NaN stays one, whatever its payload.
struct XSingleElement {
  using Sum = float;
  static constexpr unsigned kPerLane = 2, kResultDwords = 1;
  static constexpr bool kFlushes = false;
  static Sum load(const uint32_t* p, unsigned lane, unsigned e) {
    const uint32_t word = p[e * kLanes + lane];
    return as_float(is_nan(as_float(word)) ? word : word & ~0x1fffu);
  }
};
template <bool kFlush>
struct HalfElement {
  using Sum = float;
  static constexpr unsigned kPerLane = 4, kResultDwords = 1;
  static constexpr bool kFlushes = kFlush;
  static Sum load(const uint32_t* p, unsigned lane, unsigned e) {
    const uint32_t half = (p[e / 2 * kLanes + lane] >> (16 * (e & 1))) & 0xffffu;
    return kFlush ? flushed_half_to_float(half) : half_to_float(half);
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
  using Sum = uint32_t;  // wraps
  // Sums of products are whole numbers below 2^24, which floats hold; hosts have more of their units.
  using Factor = std::conditional_t<kHostIsFused, float, uint32_t>;
  static constexpr unsigned kPerLane = kElements, kResultDwords = 1;
  static constexpr bool kFlushes = false;
  static Factor load(const uint32_t* p, unsigned lane, unsigned e) {
    return static_cast<Factor>(static_cast<int32_t>(p[e / 4 * kLanes + lane] << (24 - 8 * (e % 4))) >> 24);
  }
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

template <class Element>
struct FactorOf {
  using Type = typename Element::Sum;
};
template <class Element>
requires requires {
  typename Element::Factor;
}
struct FactorOf<Element> {
  using Type = typename Element::Factor;
};
template <class Element>
using Factor = typename FactorOf<Element>::Type;

// The first kElements elements of each lane as numbers, by element: then a row of B lies in adjacent lanes.
template <class Element, unsigned kElements>
void load_a(const uint32_t* planes, Factor<Element> (&values)[kElements][kLanes]) {
  for (unsigned e = 0; e < kElements; ++e) {
    for (unsigned lane = 0; lane < kLanes; ++lane) values[e][lane] = Element::load(planes, lane, e);
  }
}
template <class Element, unsigned kElements>
void load_b(const uint32_t* planes, Factor<Element> (&values)[kElements][kLanes]) {
  if constexpr (requires { Element::load_b(planes, 0, 0); }) {
    for (unsigned e = 0; e < kElements; ++e) {
      for (unsigned lane = 0; lane < kLanes; ++lane) values[e][lane] = Element::load_b(planes, lane, e);
    }
  } else {
    load_a<Element>(planes, values);
  }
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

inline float multiply_add(float sum, float a, float b) {
  return fused(a, b, sum);
}
inline double multiply_add(double sum, double a, double b) {
  return fused(a, b, sum);
}
inline uint32_t multiply_add(uint32_t sum, uint32_t a, uint32_t b) {
  return sum + a * b;
}

// Rows that are summed at once, because each sum waits for the one before it: what the host's vector registers hold.
#if defined(__AVX512F__)
inline constexpr unsigned kSumsAtOnce = 128, kUnrolledDepth = 32;
#elif defined(__FMA__)
inline constexpr unsigned kSumsAtOnce = 64, kUnrolledDepth = 32;
#else
inline constexpr unsigned kSumsAtOnce = 4, kUnrolledDepth = 1;
#endif
template <unsigned kSize>
inline constexpr unsigned kRowsAtOnce = kSize * 4 <= kSumsAtOnce ? 4 : 1;

// Adds part of A * B to rows of a matrix: `left` gives A[r][k], `row` the row of B that A[r][k] is multiplied with.
template <unsigned kDepth, unsigned kSize, class Sum, class Left, class Row>
KERNLOOP_LANE void add_products(Sum (&rows)[kRowsAtOnce<kSize>][kSize], const Left& left, const Row& row) {
#pragma GCC unroll kUnrolledDepth
  for (unsigned k = 0; k < kDepth; ++k) {
    for (unsigned r = 0; r < kRowsAtOnce<kSize>; ++r) {
      const Sum factor = left(r, k);
      const Sum* factors = row(r, k);
#pragma GCC unroll 1
      for (unsigned j = 0; j < kSize; ++j) rows[r][j] = multiply_add(rows[r][j], factor, factors[j]);
    }
  }
}

// The same for elements whose products are summed in another type.
template <unsigned kDepth, class Element, unsigned kSize, class Left, class Row>
KERNLOOP_LANE void add_products_of(typename Element::Sum (&rows)[kRowsAtOnce<kSize>][kSize], const Left& left,
                                   const Row& row) {
  if constexpr (std::is_same_v<Factor<Element>, typename Element::Sum>) {
    add_products<kDepth, kSize>(rows, left, row);
  } else {
    static_assert(kDepth <= 1u << 9, "products of bytes are at most 2^14");
    alignas(64) Factor<Element> products[kRowsAtOnce<kSize>][kSize] = {};
    add_products<kDepth, kSize>(products, left, row);
    for (unsigned r = 0; r < kRowsAtOnce<kSize>; ++r) {
      for (unsigned j = 0; j < kSize; ++j) rows[r][j] += static_cast<uint32_t>(static_cast<int32_t>(products[r][j]));
    }
  }
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
