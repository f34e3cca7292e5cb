// Sums in random order, in the arithmetic of the type: intervals from a few replays, judged by a thousand fresh ones.
#include "verdict/values/tolerance_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "verdict/values/statistics.h"

namespace kernloop::replay {
namespace {

// SplitMix64: the same everywhere.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform() + 1e-300));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  uint64_t state_;
};

double rounded(ElementType type, double value) {
  if (type == ElementType::kF64) return value;
  if (type == ElementType::kF32) return static_cast<float>(value);
  if (value == 0) return 0;
  const bool half = type == ElementType::kF16;
  const double spacing = std::ldexp(1.0, std::max(std::ilogb(value), half ? -14 : -126) - (half ? 10 : 7));
  return std::nearbyint(value / spacing) * spacing;  // to even
}

struct Setting {
  ElementType type;
  const char* addends;  // "uniform", "lognormal", "cancelling"
  size_t count;         // number of addends
  size_t sums;
};
void PrintTo(const Setting& setting, std::ostream* out) {
  *out << name_of(setting.type) << ' ' << setting.addends << ' ' << setting.count << " addends, " << setting.sums
       << " sums";
}

class Sums {
 public:
  explicit Sums(const Setting& setting)
      : type_(setting.type), random_(setting.count * 31 + setting.sums * 7 + static_cast<size_t>(setting.type)) {
    const std::string_view kind = setting.addends;
    for (size_t i = 0; i < setting.sums; ++i) {
      std::vector<double>& addends = addends_.emplace_back();
      for (size_t k = 0; k < setting.count; ++k) {
        const double value = kind == "uniform"     ? random_.uniform()
                             : kind == "lognormal" ? std::exp(1.5 * random_.normal() - 2)
                                                   : random_.normal();
        addends.push_back(rounded(type_, value));
      }
      // Their sum is small against them.
      if (kind == "cancelling") {
        for (size_t k = 0; k < setting.count / 2; ++k) {
          addends[setting.count - 1 - k] = rounded(type_, -addends[k] * (1 + 1e-3 * random_.normal()));
        }
      }
    }
  }

  size_t size() const { return addends_.size(); }
  // Sum of the addends from `first` on, each time in another order.
  double replay(size_t index, size_t first = 0) {
    std::vector<double>& addends = addends_[index];
    if (first > 0) std::sort(addends.begin(), addends.end(), [](double a, double b) { return a * a > b * b; });
    std::vector<double> order(addends.begin() + static_cast<ptrdiff_t>(first), addends.end());
    for (size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random_.next() % k]);
    double sum = 0;
    for (const double addend : order) sum = rounded(type_, sum + addend);
    return sum;
  }
  double greatest_addend(size_t index) const {
    double greatest = 0;
    for (const double addend : addends_[index]) greatest = std::max(greatest, std::fabs(addend));
    return greatest;
  }

 private:
  ElementType type_;
  RandomNumbers random_;
  std::vector<std::vector<double>> addends_;
};

struct Interval {
  Spread seen;
  Number low = 0, high = 0;
  bool holds(Number value) const { return value >= low && value <= high; }
};

std::vector<Interval> calibrate(ElementType type, Sums& sums, size_t replays) {
  std::vector<Spread> spreads;
  std::vector<Number> values(replays);
  for (size_t i = 0; i < sums.size(); ++i) {
    for (Number& value : values) value = sums.replay(i);
    spreads.push_back(spread_of(values));
  }
  const auto varying = static_cast<double>(
      std::count_if(spreads.begin(), spreads.end(), [](const Spread& spread) { return spread.varies(); }));
  const IntervalModel model(type, spreads, replays, kMissPerReplay / std::max(varying, 1.0));
  std::vector<Interval> intervals;
  for (const Spread& spread : spreads) {
    const bool tells = varying > 0 && (model.rare() > 0 || model.is_small());
    const Number unseen = tells ? model.half_width_unseen(spread.mean) : 0;
    const Number half = spread.varies()                          ? model.half_width(spread)
                        : model.is_rounding(unseen, spread.mean) ? unseen
                                                                 : 0;
    intervals.push_back({spread, std::min(spread.min, spread.mean - half), std::max(spread.max, spread.mean + half)});
  }
  return intervals;
}

class ToleranceInterval : public testing::TestWithParam<Setting> {};

// 32 is the least that a self-check of the software GPU takes.
TEST_P(ToleranceInterval, HoldsAThousandFreshReplaysAndNotTenTimesTheirSpread) {
  constexpr size_t kReplays = 32, kFresh = 1000;
  const ElementType type = GetParam().type;
  Sums sums(GetParam());
  const std::vector<Interval> intervals = calibrate(type, sums, kReplays);
  size_t missed = 0, varying = 0, lost = 0, losable = 0, wide = 0, scaled = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    const Interval& interval = intervals[i];
    Number low = interval.seen.min, high = interval.seen.max;
    for (size_t fresh = 0; fresh < kFresh; ++fresh) {
      const Number value = sums.replay(i);
      missed += !interval.holds(value);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (low == high) continue;
    ++varying;
    const Number spread = high - low;
    wide += interval.holds(high + 10 * spread) || interval.holds(low - 10 * spread);
    // One update lost that is greater than the interval.
    if (sums.greatest_addend(i) > static_cast<double>(interval.high - interval.low)) {
      ++losable;
      lost += !interval.holds(sums.replay(i, 1));
    }
    scaled += !interval.holds(1.1L * interval.seen.mean) || GetParam().addends == std::string_view("cancelling");
  }
  EXPECT_EQ(missed, 0u) << "of " << kFresh << " replays of untouched code";
  EXPECT_EQ(wide, 0u) << "ten times the true spread beyond it";
  EXPECT_EQ(lost, losable) << "a lost update";
  if (type == ElementType::kF32 || type == ElementType::kF64) {
    EXPECT_EQ(scaled, varying) << "a wrong factor";
    EXPECT_TRUE(varying == 0 || losable > 0);
  }
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kBf16}) {
    for (const char* addends : {"uniform", "lognormal", "cancelling"}) {
      for (const size_t count : {4u, 16u, 128u, 1024u}) {
        const size_t sums = count >= 1024 ? 2 : count >= 128 ? 12 : 64;
        all.push_back({type, addends, count, sums});
      }
    }
    all.push_back({type, "uniform", 16, 1});
    all.push_back({type, "lognormal", 128, 1});
  }
  all.push_back({ElementType::kF32, "uniform", 4096, 1});
  all.push_back({ElementType::kF32, "cancelling", 4096, 1});
  return all;
}
INSTANTIATE_TEST_SUITE_P(OfSums, ToleranceInterval, testing::ValuesIn(settings()));

TEST(ToleranceIntervalOf, TheLeastAndTheGreatestOfAFewReplaysMissesWhatTheIntervalHolds) {
  Setting setting{ElementType::kF32, "uniform", 128, 64};
  Sums sums(setting);
  const std::vector<Interval> intervals = calibrate(setting.type, sums, 8);
  size_t outside_seen = 0, outside_interval = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    const Spread& seen = intervals[i].seen;
    for (int fresh = 0; fresh < 1000; ++fresh) {
      const Number value = sums.replay(i), spread = seen.max - seen.min;
      outside_seen += value < seen.min - spread || value > seen.max + spread;
      outside_interval += !intervals[i].holds(value);
    }
  }
  EXPECT_GT(outside_seen, 0u) << "what was done before";
  EXPECT_EQ(outside_interval, 0u);
}

TEST(ToleranceIntervalOf, WhatNeverVariedBesideWhatAlwaysVariesHasNone) {
  std::vector<Spread> spreads;
  for (int i = 0; i < 40; ++i) spreads.push_back(spread_of(std::vector<Number>{1, 2, 3, 4, 1, 2, 3, 4}));
  const IntervalModel model(ElementType::kF32, spreads, 8, 1e-6);
  EXPECT_EQ(model.rare(), 0u);
  EXPECT_FALSE(model.is_small());
}

// Few elements of an array take another value now and then: by a tenth if another thread wins, or by rounding of sums.
TEST(ToleranceIntervalOf, WhatNeverVariedIsJudgedByRoundingAloneAndByNoOtherJumps) {
  const auto model_of = [](Number jump) {
    std::vector<Spread> spreads;
    for (int i = 0; i < 40; ++i) {
      std::vector<Number> values(32, 3 + 0.01L * i);
      for (const int replay : {i % 32, (i + 7) % 32}) values[static_cast<size_t>(replay)] *= 1 + jump;
      spreads.push_back(spread_of(values));
    }
    return IntervalModel(ElementType::kF32, spreads, 32, 1e-9);
  };
  for (const Number jump : {0.1L, 1e-3L, 1e-5L}) {
    const IntervalModel model = model_of(jump);
    EXPECT_GT(model.rare(), 1u);
    EXPECT_FALSE(model.is_rounding(model.half_width_unseen(3), 3)) << static_cast<double>(jump);
  }
  const IntervalModel rounding = model_of(1.2e-7L);
  EXPECT_GT(rounding.rare(), 1u);
  EXPECT_TRUE(rounding.is_rounding(rounding.half_width_unseen(3), 3));
}

TEST(ToleranceIntervalOf, CancellingSumsShareAnAbsoluteSpread) {
  // The second is a thousandth of the first, and as uncertain.
  RandomNumbers random(3);
  std::vector<Spread> spreads;
  for (int i = 0; i < 64; ++i) {
    std::vector<Number> values;
    for (int k = 0; k < 32; ++k) values.push_back((i % 2 ? 1 : -0.001L) + 0.01L * static_cast<Number>(random.normal()));
    spreads.push_back(spread_of(values));
  }
  const IntervalModel model(ElementType::kF32, spreads, 32, 1e-9);
  EXPECT_NEAR(static_cast<double>(model.half_width(spreads[0]) / model.half_width(spreads[1])), 1, 0.2);
  EXPECT_LT(model.half_width(spreads[0]), 0.2L);
}

TEST(Statistics, KnowsItsDistributions) {
  EXPECT_NEAR(two_sided_normal(0.05), 1.959964, 1e-5);
  EXPECT_NEAR(two_sided_normal(2e-9), 5.997807, 1e-4);
  // NIST/SEMATECH handbook 7.2.6.3: 43 values, coverage 0.90, confidence 0.99.
  EXPECT_NEAR(tolerance_factor(43, 42, 0.10, 0.99), 2.217, 0.01);
  EXPECT_NEAR(digamma(1), -0.5772156649, 1e-8);
  EXPECT_NEAR(trigamma(1), 1.6449340668, 1e-8);
  EXPECT_NEAR(inverse_trigamma(trigamma(3.7)), 3.7, 1e-6);
}

TEST(Statistics, TheSpacingOfNumbersIsThatOfTheirType) {
  EXPECT_EQ(spacing_at(ElementType::kF32, 1), std::ldexp(1.0L, -23));
  EXPECT_EQ(spacing_at(ElementType::kF32, -1974500352), 128);
  EXPECT_EQ(spacing_at(ElementType::kF16, 2048), 2);
  EXPECT_EQ(spacing_at(ElementType::kBf16, 1), std::ldexp(1.0L, -7));
  EXPECT_EQ(spacing_at(ElementType::kF64, 0), std::ldexp(1.0L, -1074));
  EXPECT_EQ(spacing_at(ElementType::kI32, 1000), 1);
}

}  // namespace
}  // namespace kernloop::replay
