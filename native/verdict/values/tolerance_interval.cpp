#include "verdict/values/tolerance_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verdict/values/statistics.h"

namespace kernloop::replay {

namespace {

// Errors of sums are not normally distributed: their scale depends on whether great addends come late or early, which
// makes the tails heavier. Intervals are wider by at least the first factor, and by more as the kurtosis demands. The
// values are those that the simulation of sums (tolerance_interval_test) needs, with a margin.
constexpr Number kLeastTails = 1.5L, kGreatestTails = 4, kTailsUntold = 2.25L;
// Minimum by which an interval of floating-point numbers is wider than the sample, in units in the last place.
constexpr Number kLeastSpacings = 2;
// More than one or two additions that round otherwise, and far less than a wrong digit that matters.
constexpr Number kMostSpacingsOfRounding = 32;
constexpr size_t kFewestForPrior = 4;
constexpr size_t kTailSample = 512;  // values that a kurtosis is worth something from
constexpr double kJumpQuantile = 0.9;

struct Precision {
  int fraction_bits, least_exponent;  // for normal numbers
};
Precision precision_of(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return {10, -14};
    case ElementType::kBf16:
      return {7, -126};
    case ElementType::kF32:
      return {23, -126};
    case ElementType::kF64:
      return {52, -1022};
    case ElementType::kF8E4M3:
      return {3, -6};
    case ElementType::kF8E5M2:
      return {2, -14};
    case ElementType::kF8E4M3Fnuz:
      return {3, -7};
    case ElementType::kF8E5M2Fnuz:
      return {2, -15};
    default:
      return {0, 0};
  }
}

}  // namespace

Spread spread_of(std::span<const Number> values) {
  // Differences from the first value: the mean of squares is useless for large numbers that vary little.
  const Number first = values.front();
  Spread spread{0, first, first, 0, 0, 0};
  Number sum = 0, squares = 0, candidate = first;
  size_t votes = 0;
  for (const Number value : values) {
    spread.min = std::min(spread.min, value);
    spread.max = std::max(spread.max, value);
    sum += value - first;
    squares += (value - first) * (value - first);
    if (votes == 0) candidate = value;
    votes += value == candidate ? 1 : -1;
  }
  const auto count = static_cast<Number>(values.size());
  spread.mean = first + sum / count;
  if (values.size() > 1) spread.variance = std::max<Number>(squares - sum * sum / count, 0) / (count - 1);
  Number fourths = 0;
  for (const Number value : values) fourths += std::pow(value - spread.mean, 4);
  if (spread.variance > 0) spread.kurtosis = fourths / count / (spread.variance * spread.variance);
  spread.apart = values.size() - static_cast<size_t>(std::count(values.begin(), values.end(), candidate));
  return spread;
}

Number spacing_at(ElementType type, Number value) {
  if (!is_float(type)) return 1;
  const auto [fraction_bits, least_exponent] = precision_of(type);
  const Number magnitude = std::fabs(value);
  const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), least_exponent) : least_exponent;
  return std::ldexp(1.0L, exponent - fraction_bits);
}

IntervalModel::IntervalModel(ElementType type, std::span<const Spread> elements, size_t replays, double miss)
    : type_(type), replays_(replays), miss_(miss) {
  choose_scale(elements);
  fit_prior(elements);
  measure_tails(elements);
  measure_jumps(elements);
}

namespace {

struct Moments {
  double mean = 0, variance = 0;
  size_t count = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  moments.count = values.size();
  for (const double value : values) moments.mean += value / static_cast<double>(values.size());
  for (const double value : values) moments.variance += (value - moments.mean) * (value - moments.mean);
  moments.variance /= std::max<double>(static_cast<double>(values.size()) - 1, 1);
  return moments;
}

}  // namespace

// Sums of numbers of one sign have errors in proportion to them; if numbers cancel, the errors are as great as those of
// other sums, however small the result. The scale that makes the elements more alike is chosen; if in doubt, their
// signs decide.
void IntervalModel::choose_scale(std::span<const Spread> elements) {
  constexpr double kClearly = 0.5;
  std::vector<double> absolute, relative;
  bool negative = false, positive = false;
  for (const Spread& element : elements) {
    if (!element.varies()) continue;
    ++varying_;
    rare_ += is_rare(element);
    greatest_ = std::max(greatest_, std::max(-element.min, element.max));
    negative = negative || element.mean < 0;
    positive = positive || element.mean > 0;
    absolute.push_back(static_cast<double>(std::log(element.variance)));
    relative.push_back(absolute.back() -
                       2 * static_cast<double>(std::log(std::max(std::fabs(element.mean), spacing_at(type_, 0)))));
  }
  const double by_absolute = moments_of(absolute).variance, by_relative = moments_of(relative).variance;
  is_relative_ = negative && positive ? by_relative < kClearly * by_absolute : by_absolute >= kClearly * by_relative;
}

void IntervalModel::fit_prior(std::span<const Spread> elements) {
  // Elements that differ in few replays are of another kind than those that always do.
  std::vector<double> logs;
  for (const Spread& element : elements) {
    const Number scale = scale_of(element);
    if (element.varies() && !is_rare(element) && scale > 0)
      logs.push_back(static_cast<double>(std::log(element.variance / (scale * scale))));
  }
  if (logs.size() < kFewestForPrior) return;
  const auto half = static_cast<double>(replays_ - 1) / 2;
  const Moments moments = moments_of(logs);
  const double own = trigamma(half), mean = moments.mean - digamma(half) + std::log(half);
  if (moments.variance <= own) {
    prior_freedom_ = std::numeric_limits<double>::infinity();
    prior_variance_ = std::exp(mean);
    return;
  }
  const double half_prior = inverse_trigamma(moments.variance - own);
  prior_freedom_ = 2 * half_prior;
  prior_variance_ = std::exp(mean + digamma(half_prior) - std::log(half_prior));
}

void IntervalModel::measure_tails(std::span<const Spread> elements) {
  Number sum = 0;
  size_t count = 0;
  for (const Spread& element : elements) {
    if (!element.varies() || is_rare(element)) continue;
    sum += element.kurtosis;
    ++count;
  }
  const bool told = count >= kFewestForPrior && count * replays_ >= kTailSample;
  tails_ =
      told ? std::clamp(kLeastTails * sum / static_cast<Number>(count) / 3, kLeastTails, kGreatestTails) : kTailsUntold;
}

void IntervalModel::measure_jumps(std::span<const Spread> elements) {
  std::vector<Number> jumps;
  for (const Spread& element : elements) {
    const Number scale = scale_of(element);
    if (element.varies() && is_rare(element) && scale > 0) jumps.push_back((element.max - element.min) / scale);
  }
  if (jumps.empty()) return;
  const auto at = static_cast<size_t>(std::llround(kJumpQuantile * static_cast<double>(jumps.size() - 1)));
  std::nth_element(jumps.begin(), jumps.begin() + static_cast<ptrdiff_t>(at), jumps.end());
  jump_ = jumps[at];
}

Number IntervalModel::half_width(const Spread& element) const {
  const auto samples = static_cast<double>(replays_);
  const double own = samples - 1;
  const Number scale = scale_of(element), spacing = spacing_at(type_, std::max(-element.min, element.max));
  if (is_rare(element)) {
    // Further steps as great as its own, or as others have, within reason.
    const Number own_jump = element.max - element.min, jump = std::clamp(jump_ * scale, own_jump, 4 * own_jump);
    return tolerance_factor(samples, own, miss_, kConfidence) * std::sqrt(element.variance) + jump +
           kLeastSpacings * spacing;
  }
  const Number prior = prior_variance_ * scale * scale;
  const Number variance =
      std::isinf(prior_freedom_) ? prior : (prior_freedom_ * prior + own * element.variance) / (prior_freedom_ + own);
  return tails_ * tolerance_factor(samples, own + prior_freedom_, miss_, kConfidence) * std::sqrt(variance) +
         kLeastSpacings * spacing;
}

Number IntervalModel::half_width_unseen(Number value) const {
  return 2 * jump_ * (is_relative_ ? std::fabs(value) : 1) + kLeastSpacings * spacing_at(type_, value);
}

bool IntervalModel::is_rounding(Number half_width, Number value) const {
  // Sums of numbers that cancel are rounded like greater ones.
  const Number magnitude = is_relative_ ? std::fabs(value) : std::max(std::fabs(value), greatest_);
  return half_width <= kMostSpacingsOfRounding * spacing_at(type_, magnitude);
}

}  // namespace kernloop::replay
