// Whole planes of 64 lanes: fill, copy, and what EXEC and the masks in scalar registers do to them.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "softgpu/engine/wave.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

inline void fill_plane(uint32_t* plane, uint32_t value) {
  for (unsigned l = 0; l < kLanes; ++l) plane[l] = value;
}

// 0 or 1 in each lane.
inline void expand_mask(uint32_t* plane, uint64_t mask) {
#ifdef __AVX512F__
  for (unsigned l = 0; l < kLanes; l += 16) {
    _mm512_storeu_si512(plane + l, _mm512_maskz_set1_epi32(static_cast<__mmask16>(mask >> l), 1));
  }
#else
  const uint32_t low = static_cast<uint32_t>(mask), high = static_cast<uint32_t>(mask >> 32);
  for (unsigned l = 0; l < 32; ++l) plane[l] = (low >> l) & 1;
  for (unsigned l = 0; l < 32; ++l) plane[32 + l] = (high >> l) & 1;
#endif
}

// Bit l is the top bit of lane l.
inline uint64_t gather_mask(const uint32_t* plane) {
  uint64_t mask = 0;
#if defined(__AVX512DQ__)
  for (unsigned l = 0; l < kLanes; l += 16) {
    mask |= static_cast<uint64_t>(_mm512_movepi32_mask(_mm512_loadu_si512(plane + l))) << l;
  }
#elif defined(__AVX2__)
  for (unsigned l = 0; l < kLanes; l += 8) {
    const __m256 v = _mm256_loadu_ps(reinterpret_cast<const float*>(plane + l));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(v))) << l;
  }
#else
  for (unsigned l = 0; l < kLanes; l += 4) {
    const __m128 v = _mm_loadu_ps(reinterpret_cast<const float*>(plane + l));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_ps(v))) << l;
  }
#endif
  return mask;
}

// dst = mask ? src : dst.
inline void write_plane(uint32_t* dst, const uint32_t* src, uint64_t mask) {
#if defined(__AVX512F__)
  for (unsigned l = 0; l < kLanes; l += 16) {
    const __m512i kept = _mm512_loadu_si512(dst + l);
    // A blend and a whole store: masked stores are slow on some hosts.
    _mm512_storeu_si512(dst + l, _mm512_mask_loadu_epi32(kept, static_cast<__mmask16>(mask >> l), src + l));
  }
#elif defined(__AVX2__)
  const __m256i bit_of_lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (unsigned l = 0; l < kLanes; l += 8) {
    const __m256i bits = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask >> l)), bit_of_lane);
    const __m256i chosen = _mm256_cmpeq_epi32(bits, bit_of_lane);
    const __m256i kept = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(dst + l));
    const __m256i fresh = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + l));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + l), _mm256_blendv_epi8(kept, fresh, chosen));
  }
#else
  const __m128i bit_of_lane = _mm_setr_epi32(1, 2, 4, 8);
  for (unsigned l = 0; l < kLanes; l += 4) {
    const __m128i bits = _mm_and_si128(_mm_set1_epi32(static_cast<int>(mask >> l)), bit_of_lane);
    const __m128i chosen = _mm_cmpeq_epi32(bits, bit_of_lane);
    const __m128i kept = _mm_loadu_si128(reinterpret_cast<const __m128i*>(dst + l));
    const __m128i fresh = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + l));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + l),
                     _mm_or_si128(_mm_and_si128(chosen, fresh), _mm_andnot_si128(chosen, kept)));
  }
#endif
}

inline void write_planes(uint32_t* dst, const uint32_t* src, unsigned planes, uint64_t mask) {
  if (mask == ~uint64_t{0}) {
    __builtin_memcpy(dst, src, planes * sizeof(VectorRegister));
    return;
  }
  for (unsigned k = 0; k < planes; ++k) write_plane(dst + k * kLanes, src + k * kLanes, mask);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
