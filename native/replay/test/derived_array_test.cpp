#include "replay/core/memory/derived_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "replay/core/session/derived_sources.h"
#include "replay/test/first_region.h"

namespace kernloop::replay {
namespace {

// Elements of the region "in" of a capture: 200 floats.
class DerivedArrayTest : public FirstRegionTest {
 protected:
  InputArray look(std::vector<float> values, ElementType type = ElementType::kF32) {
    capture_.in = std::move(values);
    open();
    InputArray array;
    array.extent = {0, target_.size};
    array.parts = {array.extent};
    array.type = type;
    array.is_declared = true;
    EXPECT_TRUE(look_at_values(*cache_, target_, UINT64_MAX, array));
    return array;
  }
  std::vector<float> derive_all(const InputArray& array, Recipe recipe, uint64_t seed = 1, bool special = false) {
    Buffer bytes = as_bytes(capture_.in);
    derive(array, {recipe, seed, special}, 0, bytes);
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

std::vector<float> sequence(int count, const std::function<float(int)>& of) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(of(i));
  return values;
}

TEST_F(DerivedArrayTest, IsTheSameForTheSameSeed) {
  const InputArray array = look(sequence(200, [](int i) { return 1 + 0.25f * static_cast<float>(i); }));
  for (const Recipe recipe : {Recipe::kResampled, Recipe::kPermuted, Recipe::kSigns, Recipe::kZeros}) {
    EXPECT_EQ(derive_all(array, recipe), derive_all(array, recipe)) << name_of(recipe);
    EXPECT_NE(derive_all(array, recipe), capture_.in) << name_of(recipe);
    EXPECT_NE(derive_all(array, recipe, 1), derive_all(array, recipe, 2)) << name_of(recipe);
  }
}

TEST_F(DerivedArrayTest, StaysInTheRangeAndOnTheGridOfItsValuesAndHasNoZeroThatTheyHaveNot) {
  const InputArray array = look(sequence(200, [](int i) { return static_cast<float>(i % 2 == 0 ? i + 2 : -i) / 4; }));
  EXPECT_EQ(array.grid.quantum(), -2);
  for (const float value : derive_all(array, Recipe::kResampled)) {
    EXPECT_LE(std::fabs(value), 50.5f);
    EXPECT_EQ(value * 4, std::floor(value * 4)) << "sums of such values are exact, and they stay so";
    EXPECT_NE(value, 0);
  }
}

TEST(Grid, HasTheNearestMultipleAsTheCLibraryRounds) {
  std::mt19937_64 random(1);
  for (const int quantum : {-1074, -149, -30, -2, 0, 1, 40, 1000}) {
    const Grid grid(quantum);
    const auto expect_rounded = [&](Number value) {
      const Number rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
      const Number given = grid.nearest(value);
      EXPECT_EQ(given, rounded) << quantum << ": " << value;
      EXPECT_EQ(std::signbit(given), std::signbit(rounded)) << quantum << ": " << value;
    };
    for (int i = 0; i < 20'000; ++i) {
      // Values have every size about the grid, beyond 2^62 of its steps as well; halves of a step are rounded to even.
      const Number value = std::ldexp(static_cast<Number>(static_cast<int64_t>(random())), quantum - i % 140);
      expect_rounded(value);
      expect_rounded(std::ldexp(static_cast<Number>(static_cast<int>(random() % 64)) - 32, quantum - 1));
    }
    for (const Number value :
         {Number{0}, -Number{0}, std::ldexp(Number{1}, quantum - 1), -std::ldexp(Number{1}, quantum - 2)})
      expect_rounded(value);
    for (const Number value : {0x1p62L, 0x1p63L, 0x1.8p63L, 0x1p64L}) {
      expect_rounded(std::ldexp(std::nextafter(value, Number{0}), quantum));
      expect_rounded(-std::ldexp(value, quantum));
    }
  }
}

TEST_F(DerivedArrayTest, FindsTheLargestGridOfItsValues) {
  const auto quantum_of = [&](float value) { return look(sequence(20, [=](int) { return value; })).grid.quantum(); };
  EXPECT_EQ(quantum_of(96), 5);
  EXPECT_EQ(quantum_of(-0.375f), -3);
  EXPECT_EQ(quantum_of(std::numeric_limits<float>::denorm_min()), -149);
  EXPECT_EQ(quantum_of(std::numeric_limits<float>::max()), 104);
}

TEST_F(DerivedArrayTest, PermutedHasTheSameValues) {
  const InputArray array = look(sequence(200, [](int i) { return std::sin(static_cast<float>(i)); }));
  std::vector<float> values = derive_all(array, Recipe::kPermuted), sorted = capture_.in;
  std::sort(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(values, sorted);
}

TEST_F(DerivedArrayTest, FlipsSignsOfSome) {
  const InputArray array = look(sequence(200, [](int i) { return 1 + static_cast<float>(i); }));
  const std::vector<float> values = derive_all(array, Recipe::kSigns);
  int negative = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::fabs(values[i]), capture_.in[i]);
    negative += values[i] < 0;
  }
  EXPECT_GT(negative, 50);
  EXPECT_LT(negative, 150);
}

TEST_F(DerivedArrayTest, MakesNumbersOfZerosAndZerosOfNumbers) {
  const InputArray array = look(sequence(200, [](int i) { return i < 100 ? 0.0f : 1 + static_cast<float>(i); }));
  const std::vector<float> values = derive_all(array, Recipe::kZeros);
  for (size_t i = 0; i < 100; ++i) EXPECT_NE(values[i], 0);
  EXPECT_GT(std::count(values.begin() + 100, values.end(), 0.0f), 5);
  // An array of zeros changes, too: accumulators begin so.
  const std::vector<float> from_zeros = derive_all(look(std::vector<float>(200, 0)), Recipe::kZeros);
  EXPECT_EQ(std::count(from_zeros.begin(), from_zeros.end(), 0.0f), 0);
}

TEST_F(DerivedArrayTest, ChangesAConstantToo) {
  const InputArray array = look(std::vector<float>(200, 1));
  for (const Recipe recipe : {Recipe::kResampled, Recipe::kPermuted, Recipe::kZeros}) {
    const std::vector<float> values = derive_all(array, recipe);
    EXPECT_GT(std::count(values.begin(), values.end(), 1.5f), 50) << name_of(recipe);
  }
}

TEST_F(DerivedArrayTest, HasNaNAndInfinitiesWhereTheyAreAskedFor) {
  const InputArray array = look(sequence(200, [](int i) { return 1 + static_cast<float>(i); }));
  int nan = 0, infinite = 0, other = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const float value : derive_all(array, Recipe::kResampled, seed, true)) {
      nan += std::isnan(value);
      infinite += std::isinf(value);
      other += std::fpclassify(value) == FP_SUBNORMAL || (value == 0 && std::signbit(value));
    }
    for (const float value : derive_all(array, Recipe::kResampled, seed)) EXPECT_TRUE(std::isnormal(value));
  }
  EXPECT_GT(nan, 0);
  EXPECT_GT(infinite, 0);
  EXPECT_GT(other, 0);
}

TEST_F(DerivedArrayTest, LeavesWhatIsNotOfItAndSentinelsOfTheApp) {
  std::vector<float> values = sequence(200, [](int i) { return 1 + static_cast<float>(i); });
  values[7] = -INFINITY;
  InputArray array = look(values);
  array.parts = {{0, 40}, {80, 40}};
  const std::vector<float> changed = derive_all(array, Recipe::kResampled);
  for (size_t i = 0; i < 200; ++i) {
    const bool is_part = (i < 10 && i != 7) || (i >= 20 && i < 30);
    if (!is_part) {
      EXPECT_EQ(changed[i], values[i]) << i;
    }
  }
  EXPECT_NE(changed, values);
}

TEST_F(DerivedArrayTest, IsGuessedToBeFloatOnlyWhereNothingSpeaksAgainstIt) {
  look(sequence(200, [](int i) { return std::sin(static_cast<float>(i)); }));
  EXPECT_EQ(*guess_type(*cache_, target_, {{0, 800}}), ElementType::kF32);
  std::vector<float> integers(200);
  for (uint32_t i = 0; i < 200; ++i) std::memcpy(&integers[i], &i, 4);
  look(integers);
  EXPECT_EQ(*guess_type(*cache_, target_, {{0, 800}}), ElementType::kU32);
  look(std::vector<float>(200, 0));
  EXPECT_EQ(*guess_type(*cache_, target_, {{0, 800}}), ElementType::kU32) << "zeros say nothing";
  EXPECT_EQ(*guess_type(*cache_, target_, {{0, 3}}), ElementType::kU8);
}

TEST(LesserValues, TakeAsManyBlocksAsTheCapturedOne) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (const uint64_t value : lesser_values(4096, 256, seed)) {
      EXPECT_LT(value, 4096u);
      EXPECT_EQ((value + 255) / 256, 16u) << value;
    }
    for (const uint64_t value : lesser_values(300, 256, seed)) EXPECT_EQ((value + 255) / 256, 2u) << value;
  }
  EXPECT_EQ(lesser_values(258, 256, 1), std::vector<uint64_t>{257}) << "no other one is left";
  EXPECT_TRUE(lesser_values(257, 256, 1).empty()) << "one less is one block";
  EXPECT_TRUE(lesser_values(1, 256, 1).empty());
  EXPECT_TRUE(lesser_values(0, 256, 1).empty());
  EXPECT_TRUE(lesser_values(4096, 1, 1).empty()) << "each thread is a block";
}

TEST(LesserValues, AreAtTheBoundaries) {
  const auto has = [](uint64_t value, uint64_t wanted) {
    const auto values = lesser_values(value, 256, 1);
    return std::count(values.begin(), values.end(), wanted);
  };
  EXPECT_EQ(lesser_values(4096, 256, 1).front(), 4095u);
  EXPECT_EQ(has(4096, 4093), 1);
  EXPECT_EQ(has(4096, 3841), 1) << "one thread of the last block";
  EXPECT_EQ(has(100, 1), 1) << "that of the only one";
  EXPECT_EQ(has(99, 97), 1) << "odd";
  EXPECT_EQ(has(2, 1), 1);
}

TEST(NearValues, AreThoseOfModesAndFlags) {
  EXPECT_EQ(near_values(1), (std::vector<uint64_t>{2, 0, 3}));
  EXPECT_EQ(near_values(0), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(near_values(8), (std::vector<uint64_t>{9, 0, 1, 2, 3}));
  EXPECT_TRUE(near_values(9).empty()) << "a size";
}

TEST(OtherValues, AreExactWhereTheCapturedOneIsAndOfItsSign) {
  EXPECT_EQ(other_values(2.5), (std::vector<double>{1.25, 5}));
  EXPECT_EQ(other_values(-3), (std::vector<double>{-1.5, -6}));
  EXPECT_EQ(other_values(0.75), (std::vector<double>{0.375, 0.1875})) << "a share";
  EXPECT_EQ(other_values(0), (std::vector<double>{1, 0.5}));
  EXPECT_TRUE(other_values(HUGE_VAL).empty());
  EXPECT_TRUE(other_values(std::nan("")).empty());
}

}  // namespace
}  // namespace kernloop::replay
