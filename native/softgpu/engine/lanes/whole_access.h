// Words of 16 bytes in one access each, as hardware moves them: a value and its flag are seen together by waves of
// other threads (rocPRIM's look-back depends on it). Processors with AVX move aligned ones whole (Intel SDM 3A, 9.1.1;
// AMD APM 2, 7.3.2). Written in assembly, since compilers may split a vector access if they see its parts.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "softgpu/engine/lanes/vector_register.h"

namespace kernloop::softgpu {

// rows[0] to rows[3] of the lane.
inline void load_whole(VectorRegister* rows, unsigned lane, const uint8_t* at) {
  __m128i value;
  asm("movdqu %1, %0" : "=x"(value) : "m"(*reinterpret_cast<const uint8_t(*)[16]>(at)));
  const auto low = static_cast<uint64_t>(_mm_cvtsi128_si64(value));
  const auto high = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value)));
  rows[0][lane] = static_cast<uint32_t>(low);
  rows[1][lane] = static_cast<uint32_t>(low >> 32);
  rows[2][lane] = static_cast<uint32_t>(high);
  rows[3][lane] = static_cast<uint32_t>(high >> 32);
}

inline void store_whole(const VectorRegister* rows, unsigned lane, uint8_t* at) {
  const __m128i value = _mm_set_epi32(static_cast<int>(rows[3][lane]), static_cast<int>(rows[2][lane]),
                                      static_cast<int>(rows[1][lane]), static_cast<int>(rows[0][lane]));
  asm("movdqu %1, %0" : "=m"(*reinterpret_cast<uint8_t(*)[16]>(at)) : "x"(value));
}

}  // namespace kernloop::softgpu
