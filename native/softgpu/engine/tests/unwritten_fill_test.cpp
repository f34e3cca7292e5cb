// Unwritten memory and registers as kernels find them: the promises of unwritten_fill.h, and that every such place
// keeps them.
#include "softgpu/engine/wave/unwritten_fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "softgpu/engine/tests/targets.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint64_t kPatterns[] = {0, 0xA5A5A5A5A5A5A5A5, 0x3C3C3C3C3C3C3C3C, 0x0123456789ABCDEF};

// f16 and bf16, widened.
float half(uint16_t bits) {
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  return sign * std::ldexp(static_cast<float>(mantissa) + (exponent != 0 ? 1024.0f : 0.0f),
                           std::max(1, static_cast<int>(exponent)) - 25);
}
float bfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

bool is_huge(uint32_t word, float sign) {
  const auto low = static_cast<uint16_t>(word), high = static_cast<uint16_t>(word >> 16);
  const auto beyond = [&](float value, float bound) { return std::isfinite(value) && sign * value > bound; };
  const auto as_double = std::bit_cast<double>(uint64_t{word} << 32 | 0x12345678);
  return beyond(std::bit_cast<float>(word), 1e34f) && beyond(half(low), 30000) && beyond(half(high), 30000) &&
         beyond(bfloat(low), 1e34f) && beyond(bfloat(high), 1e34f) && std::isfinite(as_double) &&
         sign * as_double > 1e200 && sign * static_cast<float>(std::bit_cast<int32_t>(word)) > 5e7f &&
         sign * static_cast<float>(static_cast<int16_t>(low)) > 1000 &&
         sign * static_cast<float>(static_cast<int16_t>(high)) > 1000;
}
bool is_huge(uint32_t word) {
  return is_huge(word, 1) || is_huge(word, -1);
}

bool is_nan(uint32_t word) {
  const auto low = static_cast<uint16_t>(word), high = static_cast<uint16_t>(word >> 16);
  return std::isnan(std::bit_cast<float>(word)) && std::isnan(half(low)) && std::isnan(half(high)) &&
         std::isnan(bfloat(low)) && std::isnan(bfloat(high)) &&
         std::isnan(std::bit_cast<double>(uint64_t{word} << 32 | 0x12345678));
}

enum class Pair { kOpposite, kNan, kSmall, kBroken };

// Kind of a word under a pattern and under its counterpart.
Pair pair_of(uint32_t a, uint32_t b) {
  if ((is_huge(a, 1) && is_huge(b, -1)) || (is_huge(a, -1) && is_huge(b, 1))) return Pair::kOpposite;
  if ((is_nan(a) && is_huge(b, -1)) || (is_nan(b) && is_huge(a, -1))) return Pair::kNan;
  const auto is_small = [](uint32_t word) { return word < 128 && word % 2 == 1; };
  if ((is_small(a) && is_huge(b)) || (is_small(b) && is_huge(a))) return Pair::kSmall;
  return Pair::kBroken;
}

// Words with which kernels mark places.
const std::set<uint32_t>& mark_words() {
  static const std::set<uint32_t> words = {0xffffffff, 0x7fffffff, 0x80000000, 0x7f800000, 0xff800000, 0x7ff00000,
                                           0xfff00000, 0x7fc00000, 0x7f7fffff, 0x7c007c00, 0x0000ffff, 1};
  return words;
}

std::vector<uint32_t> words_of(uint64_t pattern) {
  std::vector<uint32_t> words(UnwrittenFill::kWords);
  UnwrittenFill(pattern).copy(words.data(), words.size(), 0);
  return words;
}

TEST(UnwrittenFill, IsZeroUnderAPatternOfItsOwn) {
  uint32_t words[UnwrittenFill::kWords];
  UnwrittenFill(UnwrittenFill::kZeros).copy(words, UnwrittenFill::kWords, 0);
  EXPECT_TRUE(std::all_of(std::begin(words), std::end(words), [](uint32_t word) { return word == 0; }));
}

TEST(UnwrittenFills, GiveEveryWordTwoClassesUnderAPatternAndItsCounterpart) {
  for (const uint64_t pattern : kPatterns) {
    const std::vector<uint32_t> a = words_of(pattern), b = words_of(~pattern);
    std::map<Pair, size_t> seen;
    size_t positive = 0, nan_here = 0;
    for (size_t k = 0; k < a.size(); ++k) {
      const Pair pair = pair_of(a[k], b[k]);
      ASSERT_NE(pair, Pair::kBroken) << std::hex << a[k] << " and " << b[k] << " at " << k;
      if (k % 16 < 4) {
        ASSERT_EQ(pair, Pair::kOpposite) << k;
      }
      for (unsigned byte = 0; byte < 4; ++byte) ASSERT_NE((a[k] | b[k]) >> (8 * byte) & 0xff, 0u) << k;
      ++seen[pair];
      positive += is_huge(a[k], 1) ? 1 : 0;
      nan_here += is_nan(a[k]) ? 1 : 0;
    }
    EXPECT_EQ(seen[Pair::kNan], UnwrittenFill::kLines);
    EXPECT_EQ(seen[Pair::kSmall], UnwrittenFill::kLines);
    // Neither of the two is the positive one, or the one with the NaNs.
    EXPECT_NEAR(static_cast<double>(positive) / static_cast<double>(a.size()), 0.46, 0.05);
    EXPECT_NEAR(static_cast<double>(nan_here) / UnwrittenFill::kLines, 0.5, 0.15);
  }
}

TEST(UnwrittenFills, AreOthersUnderOtherPatterns) {
  std::set<std::vector<uint32_t>> seen;
  for (const uint64_t pattern : kPatterns) seen.insert({words_of(pattern), words_of(~pattern)});
  EXPECT_EQ(seen.size(), 2 * std::size(kPatterns));
  EXPECT_EQ(words_of(7), words_of(7));
}

TEST(UnwrittenFill, HasSmallNumbersAndTheMarksOfKernelsOnAMachineInUse) {
  std::set<std::vector<uint32_t>> seen;
  for (const uint32_t seed : {1u, 2u, 0xffffffffu}) {
    const std::vector<uint32_t> words = words_of(UnwrittenFill::of_machine_in_use(seed));
    size_t zeros = 0, integers = 0, floats = 0;
    for (const uint32_t word : words) {
      const float number = std::bit_cast<float>(word);
      if (mark_words().contains(word)) continue;
      ASSERT_TRUE(word < 1000 || word == 0x80000000 || (std::abs(number) >= 0.125f && std::abs(number) < 32)) << word;
      zeros += word == 0 ? 1 : 0;
      integers += word > 0 && word < 1000 ? 1 : 0;
      floats += word >= 1000 ? 1 : 0;
    }
    for (const size_t many : {zeros, integers, floats}) EXPECT_GT(many, words.size() / 12) << seed;
    EXPECT_EQ(words, words_of(UnwrittenFill::of_machine_in_use(seed)));
    seen.insert(words);
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(UnwrittenFill, HasEveryMarkOfAMachineInUseInEachFourLines) {
  const uint64_t marks[] = {~uint64_t{0},       0x7fffffff7fffffff, 0x8000000080000000, 0x7f8000007f800000,
                            0xff800000ff800000, 0x7fc000007fc00000, 0x7fffffffffffffff, 0x8000000000000000,
                            0x7ff0000000000000, 0xfff0000000000000, 0x000000017f7fffff, 0x0000ffff7c007c00};
  for (const uint32_t seed : {1u, 77u, 0xffffffffu}) {
    const std::vector<uint32_t> words = words_of(UnwrittenFill::of_machine_in_use(seed));
    for (size_t line = 0; line + 4 < UnwrittenFill::kLines; ++line) {
      std::set<uint64_t> seen;
      for (size_t k = line * 16; k < line * 16 + 64; k += 2) seen.insert(words[k] | uint64_t{words[k + 1]} << 32);
      for (const uint64_t mark : marks) ASSERT_TRUE(seen.contains(mark)) << std::hex << mark << " from line " << line;
    }
  }
}

// Code that fails on one leftover number fails in each replay of a pattern and its counterpart.
TEST(UnwrittenFills, HaveTheMostUsualMarksBeforeAMachineIsInUse) {
  for (const uint64_t pattern : kPatterns) {
    for (const uint64_t either : {pattern, ~pattern}) {
      const std::vector<uint32_t> words = words_of(either);
      for (const uint32_t mark : {0xffffffffu, 0x7fffffffu})
        EXPECT_GT(std::ranges::count(words, mark), static_cast<ptrdiff_t>(UnwrittenFill::kLines / 16)) << mark;
    }
  }
}

TEST(UnwrittenFills, BeginAtAnyLineAndRepeat) {
  const UnwrittenFill fill(3);
  const std::vector<uint32_t> words = words_of(3);
  for (const uint64_t line : {uint64_t{0}, uint64_t{250}, uint64_t{251 * 9 + 17}, ~uint64_t{0}}) {
    std::vector<uint32_t> copied(9001, 0);
    fill.copy(copied.data(), 9000, line);
    for (size_t k = 0; k < 9000; ++k) ASSERT_EQ(copied[k], words[(line % 251 * 16 + k) % words.size()]) << k;
    EXPECT_EQ(copied[9000], 0u);
  }
}

class UnwrittenPlaces : public ::testing::TestWithParam<TargetCase> {
 protected:
  static constexpr uint32_t kItems = 40 * 128, kMostItems = 1100 * 128;

  // Four words a work-item.
  std::vector<uint32_t> shown(const char* kernel, DispatchOptions options, uint32_t argument = 1,
                              uint32_t items = kItems) {
    DispatchRequest request = device.request(kernel, linear(items, 128), Arguments(out.address(), argument));
    request.group_segment_bytes = 128 * 4 * 4 + 128 * 4;  // `lds`: static, then dynamic
    const DispatchOutcome outcome = device.engine.run(request, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->text();
    return {out.begin(), out.begin() + size_t{items} * 4};
  }

  Device device{code_for("unwritten", GetParam()), GetParam().isa};
  Array<uint32_t> out{device.space, size_t{kMostItems} * 4};
};

INSTANTIATE_TEST_SUITE_P(Targets, UnwrittenPlaces, ::testing::ValuesIn(kTargetCases), name_of_target);

TEST_P(UnwrittenPlaces, HoldSmallNumbersAndMarksOnAMachineInUse) {
  for (const char* kernel : {"registers", "lds", "private_words"}) {
    const std::vector<uint32_t> words = shown(kernel, {.unwritten_fill = 0xA5, .machine_in_use = 7});
    const auto is_small = [](uint32_t word) { return std::abs(std::bit_cast<float>(word)) < 32; };
    const size_t places = kernel == std::string("registers") ? 3 : 4;
    for (size_t place = 0; place < places; ++place) {
      std::set<uint32_t> marks;
      for (size_t k = place; k < words.size(); k += 4) {
        if (mark_words().contains(words[k])) marks.insert(words[k]);
        ASSERT_TRUE(is_small(words[k]) || mark_words().contains(words[k]))
            << kernel << " word " << k << ": " << std::hex << words[k];
      }
      for (const uint32_t mark : {0xffffffffu, 0x7fffffffu, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u})
        EXPECT_TRUE(marks.contains(mark)) << kernel << " place " << place << ": " << std::hex << mark;
    }
    EXPECT_EQ(words, shown(kernel, {.unwritten_fill = 0x5A, .machine_in_use = 7})) << kernel << ": the seed decides";
    EXPECT_NE(words, shown(kernel, {.machine_in_use = 8})) << kernel;
    // The machine of before has none of it left.
    EXPECT_NE(words, shown(kernel, {.unwritten_fill = 0xA5})) << kernel;
  }
}

TEST_P(UnwrittenPlaces, HoldTheFillOfThePattern) {
  for (const char* kernel : {"registers", "lds", "private_words"}) {
    const std::vector<uint32_t> a = shown(kernel, {.unwritten_fill = 0xA5}),
                                b = shown(kernel, {.unwritten_fill = ~0xA5ull});
    const size_t places = kernel == std::string("registers") ? 3 : 4;
    for (size_t place = 0; place < places; ++place) {
      std::set<uint32_t> values;
      bool positive = false, negative = false;
      for (size_t item = 0; item < kItems; ++item) {
        const uint32_t here = a[item * 4 + place], there = b[item * 4 + place];
        ASSERT_NE(pair_of(here, there), Pair::kBroken)
            << kernel << " place " << place << " item " << item << std::hex << ": " << here << " and " << there;
        values.insert(here);
        positive |= is_huge(here, 1);
        negative |= is_huge(here, -1);
      }
      EXPECT_GT(values.size(), 8u) << kernel << " place " << place;
      EXPECT_TRUE(positive && negative) << kernel << " place " << place << ": one of them in some work-items";
    }
  }
}

TEST_P(UnwrittenPlaces, AreTheSameWhateverTheThreadsAndTheOrder) {
  for (const char* kernel : {"registers", "lds", "private_words"}) {
    const std::vector<uint32_t> first = shown(kernel, {.threads = 1, .unwritten_fill = 9});
    EXPECT_EQ(shown(kernel, {.threads = 1, .unwritten_fill = 9}), first) << kernel;
    EXPECT_EQ(shown(kernel, {.seed = 77, .threads = 1, .unwritten_fill = 9}), first) << kernel;
    EXPECT_EQ(shown(kernel, {.seed = 5, .threads = 3, .unwritten_fill = 9}), first) << kernel;
    EXPECT_NE(shown(kernel, {.threads = 1, .unwritten_fill = 10}), first) << kernel;
  }
}

// There, registers that no instruction reads are not filled in.
TEST_P(UnwrittenPlaces, AreTheSameInTheFirstWorkgroupsOfALargeGrid) {
  for (const char* kernel : {"registers", "lds", "private_words"}) {
    const std::vector<uint32_t> first = shown(kernel, {.unwritten_fill = 9});
    shown(kernel, {.unwritten_fill = 10}, 1, kMostItems);
    std::vector<uint32_t> large = shown(kernel, {.unwritten_fill = 9}, 1, kMostItems);
    large.resize(first.size());
    EXPECT_EQ(large, first) << kernel;
  }
}

TEST_P(UnwrittenPlaces, ForgetWhatEarlierWavesLeftInPrivateMemory) {
  const DispatchOptions plain{.threads = 1, .unwritten_fill = 9}, other{.threads = 1, .unwritten_fill = 10};
  const std::vector<uint32_t> near = shown("private_words", plain, 1), far = shown("private_words", plain, 250),
                              near_other = shown("private_words", other, 1),
                              far_other = shown("private_words", other, 250);
  EXPECT_NE(near, far);
  for (const uint32_t written : {1u, 3u, 700u, 1000u}) {
    shown("write_private_words", plain, written);
    EXPECT_EQ(shown("private_words", plain, 1), near) << written;
    EXPECT_EQ(shown("private_words", plain, 250), far) << written;
    shown("write_private_words", plain, written);
    EXPECT_EQ(shown("private_words", other, 250), far_other) << written;
    EXPECT_EQ(shown("private_words", other, 1), near_other) << written;
    EXPECT_EQ(shown("private_words", plain, 250), far) << written;
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
