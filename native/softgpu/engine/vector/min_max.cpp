// Minimum, maximum and median of floating-point values.
#include "softgpu/engine/vector/min_max.h"

#include "softgpu/engine/vector/rows.h"

namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT {

namespace {

template <class T>
KERNLOOP_LANE T minimum3(T a, T b, T c, bool ieee) {
  return minimum(minimum(a, b, ieee), c, ieee);
}
template <class T>
KERNLOOP_LANE T maximum3(T a, T b, T c, bool ieee) {
  return maximum(maximum(a, b, ieee), c, ieee);
}
template <class T>
KERNLOOP_LANE T median3(T a, T b, T c, bool ieee) {
  const T least = minimum3(a, b, c, ieee), largest = maximum3(a, b, c, ieee);
  const T without_a = maximum(b, c, ieee), without_b = maximum(a, c, ieee), without_c = maximum(a, b, ieee);
  const T r = choose(largest == a, without_a, choose(largest == b, without_b, without_c));
  const bool any_nan = is_nan(a) | is_nan(b) | is_nan(c);
  return choose(any_nan, least, r);
}

constexpr unsigned kNew = kKeepNan | kPreserveHigh;

constexpr Row kRows[] = {
    row<Op::v_min_f32, F32(F32, F32), kKeepNan>([](const Mode& m, float a, float b) { return minimum(a, b, m.ieee); }),
    row<Op::v_max_f32, F32(F32, F32), kKeepNan>([](const Mode& m, float a, float b) { return maximum(a, b, m.ieee); }),
    row<Op::v_min3_f32, F32(F32, F32, F32), kKeepNan>(
        [](const Mode& m, float a, float b, float c) { return minimum3(a, b, c, m.ieee); }),
    row<Op::v_max3_f32, F32(F32, F32, F32), kKeepNan>(
        [](const Mode& m, float a, float b, float c) { return maximum3(a, b, c, m.ieee); }),
    row<Op::v_med3_f32, F32(F32, F32, F32), kKeepNan>(
        [](const Mode& m, float a, float b, float c) { return median3(a, b, c, m.ieee); }),
    row<Op::v_min_f64, F64(F64, F64), kKeepNan>(
        [](const Mode& m, double a, double b) { return minimum(a, b, m.ieee); }),
    row<Op::v_max_f64, F64(F64, F64), kKeepNan>(
        [](const Mode& m, double a, double b) { return maximum(a, b, m.ieee); }),
    row<Op::v_min_f16, F16(F16, F16), kKeepNan>([](const Mode& m, float a, float b) { return minimum(a, b, m.ieee); }),
    row<Op::v_max_f16, F16(F16, F16), kKeepNan>([](const Mode& m, float a, float b) { return maximum(a, b, m.ieee); }),
    row<Op::v_min3_f16, F16(F16, F16, F16), kNew>(
        [](const Mode& m, float a, float b, float c) { return minimum3(a, b, c, m.ieee); }),
    row<Op::v_max3_f16, F16(F16, F16, F16), kNew>(
        [](const Mode& m, float a, float b, float c) { return maximum3(a, b, c, m.ieee); }),
    // gfx1100
    row<Op::v_maxmin_f32, F32(F32, F32, F32), kKeepNan>(
        [](const Mode& m, float a, float b, float c) { return minimum(maximum(a, b, m.ieee), c, m.ieee); }),
    row<Op::v_minmax_f32, F32(F32, F32, F32), kKeepNan>(
        [](const Mode& m, float a, float b, float c) { return maximum(minimum(a, b, m.ieee), c, m.ieee); }),
    row<Op::v_maxmin_f16, F16(F16, F16, F16), kNew>(
        [](const Mode& m, float a, float b, float c) { return minimum(maximum(a, b, m.ieee), c, m.ieee); }),
    row<Op::v_minmax_f16, F16(F16, F16, F16), kNew>(
        [](const Mode& m, float a, float b, float c) { return maximum(minimum(a, b, m.ieee), c, m.ieee); }),
    row<Op::v_med3_f16, F16(F16, F16, F16), kNew>(
        [](const Mode& m, float a, float b, float c) { return median3(a, b, c, m.ieee); }),
};

}  // namespace

RowTable min_max_rows() {
  return kRows;
}

}  // namespace kernloop::softgpu::vector::KERNLOOP_VECTOR_VARIANT
