// Planes of 64 lanes, and groups of 16 adjacent ones: fill, copy, and the effects of EXEC and of masks in scalar
// registers.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

inline void fill_plane(uint32_t* plane, uint32_t value) {
  for (unsigned l = 0; l < kLanes; ++l) plane[l] = value;
}

inline constexpr unsigned kGroup = 16, kHalf = 32;

inline void fill_group(uint32_t* lanes, uint32_t value) {
#ifdef __AVX512F__
  _mm512_storeu_si512(lanes, _mm512_set1_epi32(static_cast<int>(value)));
#else
  for (unsigned l = 0; l < kGroup; ++l) lanes[l] = value;
#endif
}

// 0 or 1 in each lane.
inline void expand_group(uint32_t* lanes, uint64_t mask) {
#ifdef __AVX512F__
  _mm512_storeu_si512(lanes, _mm512_maskz_set1_epi32(static_cast<__mmask16>(mask), 1));
#else
  const auto low = static_cast<uint32_t>(mask);
  for (unsigned l = 0; l < kGroup; ++l) lanes[l] = (low >> l) & 1;
#endif
}
inline void expand_mask(uint32_t* plane, uint64_t mask) {
  for (unsigned l = 0; l < kLanes; l += kGroup) expand_group(plane + l, mask >> l);
}

// Bit l is the top bit of lane l.
inline uint32_t gather_group(const uint32_t* lanes) {
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask(_mm512_loadu_si512(lanes));
#elif defined(__AVX2__)
  uint32_t mask = 0;
  for (unsigned l = 0; l < kGroup; l += 8) {
    const __m256 v = _mm256_loadu_ps(reinterpret_cast<const float*>(lanes + l));
    mask |= static_cast<uint32_t>(_mm256_movemask_ps(v)) << l;
  }
  return mask;
#else
  uint32_t mask = 0;
  for (unsigned l = 0; l < kGroup; l += 4) {
    const __m128 v = _mm_loadu_ps(reinterpret_cast<const float*>(lanes + l));
    mask |= static_cast<uint32_t>(_mm_movemask_ps(v)) << l;
  }
  return mask;
#endif
}
inline uint64_t gather_mask(const uint32_t* plane) {
  uint64_t mask = 0;
  for (unsigned l = 0; l < kLanes; l += kGroup) mask |= static_cast<uint64_t>(gather_group(plane + l)) << l;
  return mask;
}

// Bit l: whether lane l without its sign (`keep`: the other bits) is above the limit.
inline uint32_t group_above(const uint32_t* lanes, uint32_t keep, uint32_t limit) {
#if defined(__AVX512F__)
  const __m512i magnitude = _mm512_and_si512(_mm512_loadu_si512(lanes), _mm512_set1_epi32(static_cast<int>(keep)));
  return _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(static_cast<int>(limit)));
#elif defined(__AVX2__)
  uint32_t mask = 0;
  for (unsigned l = 0; l < kGroup; l += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + l));
    const __m256i magnitude = _mm256_and_si256(v, _mm256_set1_epi32(static_cast<int>(keep)));
    const __m256i above = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(static_cast<int>(limit)));
    mask |= static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(above))) << l;
  }
  return mask;
#else
  uint32_t mask = 0;
  for (unsigned l = 0; l < kGroup; l += 4) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes + l));
    const __m128i magnitude = _mm_and_si128(v, _mm_set1_epi32(static_cast<int>(keep)));
    const __m128i above = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(static_cast<int>(limit)));
    mask |= static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(above))) << l;
  }
  return mask;
#endif
}

// Whether one of 32 floats is a NaN.
inline bool half_has_nan(const uint32_t* lanes) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(lanes), _mm512_loadu_ps(lanes + kGroup), _CMP_UNORD_Q) != 0;
#else
  return (group_above(lanes, 0x7fffffffu, 0x7f800000u) | group_above(lanes + kGroup, 0x7fffffffu, 0x7f800000u)) != 0;
#endif
}

// dst = mask ? src : dst.
inline void write_group(uint32_t* dst, const uint32_t* src, uint32_t mask) {
#if defined(__AVX512F__)
  // A blend and a whole store: masked stores are slow on some hosts.
  const __m512i kept = _mm512_loadu_si512(dst);
  _mm512_storeu_si512(dst, _mm512_mask_loadu_epi32(kept, static_cast<__mmask16>(mask), src));
#elif defined(__AVX2__)
  const __m256i bit_of_lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (unsigned l = 0; l < kGroup; l += 8) {
    const __m256i bits = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask >> l)), bit_of_lane);
    const __m256i chosen = _mm256_cmpeq_epi32(bits, bit_of_lane);
    const __m256i kept = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(dst + l));
    const __m256i fresh = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + l));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + l), _mm256_blendv_epi8(kept, fresh, chosen));
  }
#else
  const __m128i bit_of_lane = _mm_setr_epi32(1, 2, 4, 8);
  for (unsigned l = 0; l < kGroup; l += 4) {
    const __m128i bits = _mm_and_si128(_mm_set1_epi32(static_cast<int>(mask >> l)), bit_of_lane);
    const __m128i chosen = _mm_cmpeq_epi32(bits, bit_of_lane);
    const __m128i kept = _mm_loadu_si128(reinterpret_cast<const __m128i*>(dst + l));
    const __m128i fresh = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + l));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + l),
                     _mm_or_si128(_mm_and_si128(chosen, fresh), _mm_andnot_si128(chosen, kept)));
  }
#endif
}
inline void write_half(uint32_t* dst, const uint32_t* src, uint32_t mask) {
#if defined(__AVX512F__)
  __m512i low = _mm512_loadu_si512(src), high = _mm512_loadu_si512(src + kGroup);
  if (mask != ~0u) [[unlikely]] {
    low = _mm512_mask_mov_epi32(_mm512_loadu_si512(dst), static_cast<__mmask16>(mask), low);
    high = _mm512_mask_mov_epi32(_mm512_loadu_si512(dst + kGroup), static_cast<__mmask16>(mask >> kGroup), high);
  }
  _mm512_storeu_si512(dst, low);
  _mm512_storeu_si512(dst + kGroup, high);
#else
  if (mask == ~0u) {
    __builtin_memcpy(dst, src, kHalf * sizeof(uint32_t));
    return;
  }
  write_group(dst, src, mask & 0xffff);
  write_group(dst + kGroup, src + kGroup, mask >> kGroup);
#endif
}
inline uint32_t gather_half(const uint32_t* lanes) {
  return gather_group(lanes) | gather_group(lanes + kGroup) << kGroup;
}
inline void write_plane(uint32_t* dst, const uint32_t* src, uint64_t mask) {
  for (unsigned l = 0; l < kLanes; l += kGroup)
    write_group(dst + l, src + l, static_cast<uint32_t>(mask >> l) & 0xffff);
}

inline void write_planes(uint32_t* dst, const uint32_t* src, unsigned planes, uint64_t mask) {
  if (mask == ~uint64_t{0}) {
    __builtin_memcpy(dst, src, planes * sizeof(VectorRegister));
    return;
  }
  for (unsigned k = 0; k < planes; ++k) write_plane(dst + k * kLanes, src + k * kLanes, mask);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
