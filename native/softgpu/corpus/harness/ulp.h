// Distance from the exact value in units in the last place, for results that the language does not fix to the bit.
#pragma once

#include <cmath>
#include <limits>

namespace kernloop::softgpu::corpus {

// `exact` must be known far better than Real. Equal non-finite values are 0 apart, others infinitely far.
template <typename Real>
double ulps(Real got, long double exact) {
  const Real rounded = static_cast<Real>(exact);
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : INFINITY;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int smallest = std::numeric_limits<Real>::min_exponent;
  const int last = (exponent < smallest ? smallest : exponent) - std::numeric_limits<Real>::digits;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, last));
}

}  // namespace kernloop::softgpu::corpus
