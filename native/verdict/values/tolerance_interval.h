// Intervals in which further replays of untouched code fall, from a sample of replays: normal tolerance intervals whose
// variances are moderated by those of the other elements of the array (Smyth 2004, as in limma). The least and the
// greatest value of a few replays are no bound; the elements of an array of sums inform each other.
#pragma once

#include <span>
#include <vector>

#include "verdict/values/element_type.h"

namespace kernloop::replay {

// For all intervals of a capture together and each further replay of untouched code: the greatest probability that any
// interval is left, and the confidence in that.
inline constexpr double kMissPerReplay = 1e-6;
inline constexpr double kConfidence = 0.99;

// Values that the replays gave for one element. All are finite.
struct Spread {
  Number mean = 0, min = 0, max = 0;
  Number variance = 0;  // sample variance
  Number kurtosis = 0;  // sample kurtosis: 3 for normal numbers, more if few values are far out
  size_t apart = 0;     // replays that gave another value than most of them

  bool varies() const { return min != max; }
};
Spread spread_of(std::span<const Number> values);

// Distance from |value| to the next greater value of the type; 1 for whole numbers.
Number spacing_at(ElementType type, Number value);

// Model fitted to the elements of one array that one operation makes.
class IntervalModel {
 public:
  // `miss`: share of values that may be outside one element's interval.
  IntervalModel(ElementType type, std::span<const Spread> elements, size_t replays, double miss);

  // Half width for a varying element, to each side of its mean.
  Number half_width(const Spread& element) const;

  // Elements that differ in few replays: if there are some, others may differ that these replays were too few to show.
  size_t rare() const { return rare_; }
  // Whether the elements that vary are too few to tell.
  bool is_small() const { return varying_ < kTelling; }
  // For an element that was the same in all replays.
  Number half_width_unseen(Number value) const;
  // Whether an interval of this width is explained by sums that round differently in another order, which is rare.
  // Values that jump by more (another value wins) give no evidence about elements that never did.
  bool is_rounding(Number half_width, Number value) const;

 private:
  static constexpr size_t kTelling = 32;

  bool is_rare(const Spread& element) const { return element.apart * 4 < replays_; }
  Number scale_of(const Spread& element) const { return is_relative_ ? std::max(-element.mean, element.mean) : 1; }
  void choose_scale(std::span<const Spread> elements);
  void fit_prior(std::span<const Spread> elements);
  void measure_tails(std::span<const Spread> elements);
  void measure_jumps(std::span<const Spread> elements);

  ElementType type_;
  size_t replays_;
  double miss_;
  size_t varying_ = 0, rare_ = 0;
  bool is_relative_ = true;
  double prior_freedom_ = 0;  // infinite if all elements have one variance, in units of their scale
  Number prior_variance_ = 0;
  Number tails_ = 1;     // how much further out than normal numbers
  Number jump_ = 0;      // jumps of elements that differ in few replays, in units of their scale
  Number greatest_ = 0;  // magnitude of those that vary
};

}  // namespace kernloop::replay
