#include "verdict/values/statistics.h"

#include <cmath>

namespace kernloop::replay {

namespace {

// Wilson and Hilferty (1931): within 1 % for 3 degrees of freedom and more.
double chi_square_quantile(double freedom, double lower) {
  const double z = lower < 0.5 ? -two_sided_normal(2 * lower) : two_sided_normal(2 * (1 - lower));
  const double ninth = 2 / (9 * freedom);
  return freedom * std::pow(std::fmax(1 - ninth + z * std::sqrt(ninth), 1e-3), 3);
}

}  // namespace

double two_sided_normal(double probability) {
  double low = 0, high = 40;
  for (int i = 0; i < 200 && high - low > 1e-12; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return high;
}

double tolerance_factor(double samples, double freedom, double miss, double confidence) {
  const double z = two_sided_normal(miss) * std::sqrt(1 + 1 / samples);
  return std::isinf(freedom) ? z : z * std::sqrt(freedom / chi_square_quantile(freedom, 1 - confidence));
}

// Both by their recurrences and asymptotic series (Abramowitz and Stegun 6.3, 6.4).
double digamma(double x) {
  double sum = 0;
  for (; x < 6; ++x) sum -= 1 / x;
  const double inverse = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse / 252));
}

double trigamma(double x) {
  double sum = 0;
  for (; x < 6; ++x) sum += 1 / (x * x);
  const double inverse = 1 / (x * x);
  return sum + 1 / x + inverse / 2 + inverse / x * (1.0 / 6 - inverse * (1.0 / 30 - inverse / 42));
}

double inverse_trigamma(double y) {
  double low = 1e-8, high = 1e8;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    (trigamma(middle) > y ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace kernloop::replay
