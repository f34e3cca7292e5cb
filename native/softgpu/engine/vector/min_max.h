// Minimum and maximum of floating-point values (halves as floats) by the rules of V_MIN_F32 and V_MAX_F32: under IEEE
// mode a signalling NaN comes out quiet; otherwise a NaN loses to a number. -0 is less than +0.
#pragma once

#include "softgpu/engine/vector/float_rules.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

KERNLOOP_LANE float with_bits(uint32_t v) {
  return as_float(v);
}
KERNLOOP_LANE double with_bits(uint64_t v) {
  return as_double(v);
}

template <class T>
KERNLOOP_LANE T resolve_nans(T a, T b, T number, bool ieee) {
  T r = choose(is_nan(b), a, number);
  r = choose(is_nan(a), b, r);
  r = choose(ieee & is_signalling(b), quiet(b), r);
  return choose(ieee & is_signalling(a), quiet(a), r);
}
// If values are equal, the sign of either zero decides.
template <class T>
KERNLOOP_LANE T minimum(T a, T b, bool ieee) {
  const T number = choose(a == b, with_bits(bits(a) | bits(b)), choose(a < b, a, b));
  return resolve_nans(a, b, number, ieee);
}
template <class T>
KERNLOOP_LANE T maximum(T a, T b, bool ieee) {
  const T number = choose(a == b, with_bits(bits(a) & bits(b)), choose(a > b, a, b));
  return resolve_nans(a, b, number, ieee);
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
