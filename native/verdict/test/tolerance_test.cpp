// Tolerances: elements that pass, that never pass, and that are counted. Oracles: NumPy's definition written out in
// double, and std::nextafter for neighbours.
#include "verdict/values/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kernloop::replay {
namespace {

template <typename T>
const uint8_t* bytes_of(const T& value) {
  return reinterpret_cast<const uint8_t*>(&value);
}

template <typename T>
bool within(ElementType type, Bounds bounds, T expected, T actual) {
  return judge_element(type, bounds, bytes_of(expected), bytes_of(actual)).within;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(Tolerance, IsNumPysAllcloseForNumbers) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-6, 6);
  for (int round = 0; round < 20000; ++round) {
    const double expected = (random() % 2 ? 1 : -1) * std::pow(10, exponent(random));
    const double actual = expected + (random() % 2 ? 1 : -1) * std::pow(10, exponent(random) - 3);
    const double atol = std::pow(10, exponent(random) - 3), rtol = round % 2 ? std::pow(10, exponent(random) - 6) : 0;
    EXPECT_EQ(within(ElementType::kF64, {atol, rtol, 0}, expected, actual),
              std::fabs(actual - expected) <= atol + rtol * std::fabs(expected))
        << expected << " " << actual << " " << atol << " " << rtol;
  }
}

TEST(Tolerance, IsRelativeToWhatTheAppComputed) {
  // |1 - 2| <= 0.6 * 2, but not 0.6 * 1.
  EXPECT_TRUE(within(ElementType::kF32, {0, 0.6, 0}, 2.0f, 1.0f));
  EXPECT_FALSE(within(ElementType::kF32, {0, 0.6, 0}, 1.0f, 2.0f));
}

TEST(Tolerance, LetsNoNanAndNoInfinityPassInPlaceOfANumber) {
  const Bounds widest = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), UINT64_MAX};
  EXPECT_TRUE(within(ElementType::kF32, widest, 1.0f, -3e38f));
  for (const auto& [expected, actual] : {std::pair{1.0f, kNan},
                                         {kNan, 1.0f},
                                         {1.0f, kInf},
                                         {kInf, 1.0f},
                                         {kInf, -kInf},
                                         {kInf, kNan},
                                         {kNan, kInf},
                                         {std::numeric_limits<float>::max(), kInf}}) {
    EXPECT_FALSE(within(ElementType::kF32, widest, expected, actual)) << expected << " " << actual;
  }
}

TEST(Tolerance, TakesANanWhereTheAppHasOneAndTheSameInfinity) {
  const uint32_t payload = 0x7fc12345, negative = 0xffc00000;
  EXPECT_TRUE(judge_element(ElementType::kF32, {0, 0, 1}, bytes_of(payload), bytes_of(negative)).within);
  EXPECT_TRUE(within(ElementType::kF32, {0, 0, 1}, kInf, kInf));
  EXPECT_FALSE(judge_element(ElementType::kF32, {0, 0, 1}, bytes_of(payload), bytes_of(negative)).finite);
}

TEST(Tolerance, CountsUlpsAsNextafterDoes) {
  for (float start : {1.0f, -1.0f, 0.0f, 1e-45f, -1e-38f, 3e38f, 16777216.0f}) {
    for (float towards : {kInf, -kInf}) {
      float value = start;
      for (uint64_t steps = 1; steps <= 3; ++steps) {
        value = std::nextafter(value, towards);
        if (std::isinf(value)) break;
        EXPECT_TRUE(within(ElementType::kF32, {0, 0, steps}, start, value)) << start << " " << steps;
        EXPECT_FALSE(within(ElementType::kF32, {0, 0, steps - 1}, start, value)) << start << " " << steps;
      }
    }
  }
  EXPECT_TRUE(within(ElementType::kF64, {0, 0, 1}, 1.0, std::nextafter(1.0, 2)));
  EXPECT_FALSE(within(ElementType::kF64, {0, 0, 1}, 1.0, std::nextafter(std::nextafter(1.0, 2), 2)));
  const double least = std::numeric_limits<double>::lowest(), greatest = std::numeric_limits<double>::max();
  EXPECT_EQ(judge_element(ElementType::kF64, {}, bytes_of(least), bytes_of(greatest)).ulp, 2 * 0x7fefffffffffffffu);
  EXPECT_TRUE(within(ElementType::kF32, {0, 0, 1}, 0.0f, -0.0f));
}

TEST(Tolerance, ReadsHalvesAndBfloats) {
  const uint16_t one = 0x3c00, next = 0x3c01, bf_one = 0x3f80, bf_next = 0x3f81, bf_nan = 0x7fc0;
  EXPECT_TRUE(within(ElementType::kF16, {0x1p-10, 0, 0}, one, next));
  EXPECT_FALSE(within(ElementType::kF16, {0x1p-11, 0, 0}, one, next));
  EXPECT_TRUE(within(ElementType::kBf16, {0x1p-7, 0, 0}, bf_one, bf_next));
  EXPECT_FALSE(within(ElementType::kBf16, {0x1p-8, 0, 0}, bf_one, bf_next));
  EXPECT_TRUE(within(ElementType::kBf16, {0, 0, 1}, bf_one, bf_next));
  EXPECT_FALSE(within(ElementType::kBf16, {1e9, 1, 60000}, bf_one, bf_nan));
}

TEST(Tolerance, KnowsNoUlpOfIntegers) {
  EXPECT_FALSE(within(ElementType::kI32, {0, 0, 100}, 5, 6));
  EXPECT_TRUE(within(ElementType::kI32, {1, 0, 0}, 5, 6));
  EXPECT_FALSE(within(ElementType::kU64, {1, 0, 0}, UINT64_MAX, UINT64_MAX - 2)) << "2^64 is not rounded";
}

struct Judged {
  ToleranceCount count;
  uint64_t differing_bytes;  // after what was accepted
};

// In pieces of 4096 bytes, as chunks arrive.
Judged judge(const ElementTolerance& tolerance, const Buffer& expected, const Buffer& actual,
             const std::vector<AddressRange>& accepted_already = {}) {
  const std::vector<ElementTolerance> tolerances = {tolerance};
  ToleranceJudge judge(tolerances, accepted_already);
  Buffer copy;
  uint64_t differing = 0;
  for (size_t at = 0; at < expected.size(); at += 4096) {
    const size_t size = std::min<size_t>(4096, expected.size() - at);
    const auto left = judge.accept(at, Bytes(expected).subspan(at, size), Bytes(actual).subspan(at, size), copy);
    for (size_t i = 0; i < size; ++i) differing += left[i] != expected[at + i];
  }
  return {judge.counts()[0], differing};
}

Buffer floats(const std::vector<float>& values) {
  Buffer bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(ToleranceJudge, CountsEveryElementOnceAndKeepsMaxima) {
  std::vector<float> expected(3000, 1.0f), actual = expected;
  actual[0] = 1.5f;
  actual[1023] = 1.001f;  // the last of a piece
  actual[1024] = kNan;
  expected[2000] = 0, actual[2000] = 1e-4f;
  expected[2999] = actual[2999] = kNan;
  const auto [count, differing] =
      judge({"r", 0, 12000, ElementType::kF32, {0.01, 0, 0}}, floats(expected), floats(actual));
  EXPECT_EQ(count.elements, 3000u);
  EXPECT_EQ(count.within, 2u);
  EXPECT_EQ(count.outside, 2u);
  EXPECT_EQ(count.not_finite, 1u);
  EXPECT_EQ(count.max_absolute, 0.5L);
  EXPECT_EQ(count.max_relative, 0.5L) << "an expected zero has no relative error";
  EXPECT_GT(count.max_ulp, 1000000u);
  EXPECT_GT(differing, 2u);
  EXPECT_LE(differing, 8u);
}

TEST(ToleranceJudge, LeavesBytesOutsideOfItsRangeAndOfWholeElementsAlone) {
  Buffer expected(43, 0), actual = expected;
  actual[0] = actual[8] = actual[41] = 1;  // before, inside (a denormal), in the last 3 bytes
  EXPECT_EQ(judge({"r", 8, 35, ElementType::kF32, {1, 0, 0}}, expected, actual).differing_bytes, 2u);
}

TEST(ToleranceJudge, LeavesAcceptedElementsOutOfItsCount) {
  const Buffer zero(64, 0);
  const ElementTolerance all = {"r", 0, 64, ElementType::kF32, {1, 0, 0}};
  EXPECT_EQ(judge(all, zero, zero, {{2, 1}, {3, 2}, {7, 1}, {60, 4}}).count.elements, 13u);
  EXPECT_EQ(judge(all, zero, zero, {{0, 64}}).count.elements, 0u);
}

// One element of each kind that NaN and infinities can be in: reference only, output only, both, other sign, a number.
struct SpecialCase {
  float expected, actual;
};
constexpr SpecialCase kSpecialCases[] = {{kNan, 1},    {1, kNan},     {kNan, kNan}, {kInf, 1},    {1, kInf},
                                         {kInf, kInf}, {kInf, -kInf}, {kInf, kNan}, {kNan, kInf}, {1, 1}};

Judged judge_specials(Special nan, Special infinity, double matched = 1) {
  std::vector<float> expected, actual;
  for (const auto& [before, now] : kSpecialCases) {
    expected.push_back(before);
    actual.push_back(now);
  }
  const Bounds bounds = {1e30, 1, UINT64_MAX, matched, nan, infinity};
  return judge({"r", 0, expected.size() * 4, ElementType::kF32, bounds}, floats(expected), floats(actual));
}

TEST(SpecialValues, AreCountedByThemselvesAndInNoMaximum) {
  const ToleranceCount count = judge_specials(Special::kMatch, Special::kMatch).count;
  EXPECT_EQ(count.nan.expected_only, 2u);
  EXPECT_EQ(count.nan.actual_only, 2u);
  EXPECT_EQ(count.nan.both, 1u);
  EXPECT_EQ(count.infinity.expected_only, 2u);
  EXPECT_EQ(count.infinity.actual_only, 2u);
  EXPECT_EQ(count.infinity.both, 1u);
  EXPECT_EQ(count.infinity.other, 1u);
  EXPECT_EQ(count.max_absolute, 0.0L);
  EXPECT_EQ(count.outside, 7u);
  EXPECT_EQ(count.not_finite, 7u);
}

TEST(SpecialValues, PassByTheirPolicy) {
  const auto outside = [](Special nan, Special infinity) { return judge_specials(nan, infinity).count.outside; };
  EXPECT_EQ(outside(Special::kRefuse, Special::kMatch), 8u) << "also a NaN in both";
  EXPECT_EQ(outside(Special::kIgnore, Special::kMatch), 5u) << "whatever is there where the app has a NaN";
  EXPECT_EQ(outside(Special::kMatch, Special::kRefuse), 8u) << "also an infinity in both";
  EXPECT_EQ(outside(Special::kMatch, Special::kIgnore), 5u) << "not a NaN where the app has an infinity";
  EXPECT_EQ(outside(Special::kIgnore, Special::kIgnore), 3u) << "NaN or infinity in place of a number always fail";
}

TEST(SpecialValues, AreRefusedThoughEveryByteIsEqual) {
  std::vector<float> values(2000, 1.0f);
  values[1500] = kNan;
  const auto refuse =
      judge({"r", 0, 8000, ElementType::kF32, {1, 0, 0, 1, Special::kRefuse}}, floats(values), floats(values));
  EXPECT_EQ(refuse.count.refused, 1u);
  EXPECT_EQ(refuse.count.outside, 1u);
  ASSERT_EQ(refuse.count.first_outside.size(), 1u);
  EXPECT_EQ(refuse.count.first_outside[0].offset, 6000u);
  const auto match = judge({"r", 0, 8000, ElementType::kF32, {1, 0, 0}}, floats(values), floats(values));
  EXPECT_EQ(match.count.outside, 0u);
  EXPECT_EQ(match.count.nan.both, 1u);
  const auto ignored = judge({"r", 0, 8000, ElementType::kF32, {1, 0, 0, 1, Special::kRefuse}}, floats(values),
                             floats(values), {{6000, 4}});
  EXPECT_EQ(ignored.count.refused, 0u) << "what is left out of the comparison is not refused";
}

TEST(SpecialValues, AreNotExcusedByTheMatchedRatio) {
  EXPECT_EQ(judge_specials(Special::kMatch, Special::kMatch, 0.01).count.excusable(), 0u);
}

struct Ratio {
  bool excused;
  uint64_t differing_bytes;
};
Ratio judge_ratio(double matched, size_t wrong, size_t elements) {
  std::vector<float> expected(elements, 1.0f), actual = expected;
  for (size_t i = 0; i < wrong; ++i) actual[i * 3] = 2;
  const std::vector<ElementTolerance> tolerances = {{"r", 0, elements * 4, ElementType::kF32, {0.1, 0, 0, matched}}};
  ToleranceJudge judge(tolerances, {});
  Buffer copy;
  const Buffer before = floats(expected), now = floats(actual);
  const auto left = judge.accept(0, before, now, copy);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), left.begin())) << "what may be excused is told apart";
  return {judge.are_excused(0), judge.excusable(0).differing_bytes()};
}

TEST(MatchedRatio, ExcusesSoManyAndNotOneMore) {
  EXPECT_TRUE(judge_ratio(0.99, 10, 1000).excused);
  EXPECT_FALSE(judge_ratio(0.99, 11, 1000).excused);
  EXPECT_GT(judge_ratio(0.99, 11, 1000).differing_bytes, 0u);
}

TEST(ExactElements, AreCountedThoughOnlyEqualBytesPass) {
  std::vector<float> expected(100, 1.0f), actual = expected;
  actual[7] = std::nextafter(1.0f, 2.0f);
  expected[8] = 0.0f, actual[8] = -0.0f;
  Bounds exact;
  exact.exact = true;
  const auto [count, differing] = judge({"r", 0, 400, ElementType::kF32, exact}, floats(expected), floats(actual));
  EXPECT_EQ(count.outside, 2u);
  EXPECT_EQ(differing, 2u);
  EXPECT_EQ(count.max_ulp, 1u);
  ASSERT_TRUE(count.worst);
  EXPECT_EQ(count.worst->offset, 28u);
}

// Expected values from the tables of OCP's OFP8 and of the MI300 ISA.
TEST(SmallFloats, AreReadAsTheirDocumentsSay) {
  const auto value = [](ElementType type, uint8_t bits) { return load_number(type, &bits); };
  EXPECT_EQ(value(ElementType::kF8E4M3, 0x38), 1.0L);
  EXPECT_EQ(value(ElementType::kF8E4M3, 0x7e), 448.0L);
  EXPECT_EQ(value(ElementType::kF8E4M3, 0x01), 0x1p-9L);
  EXPECT_EQ(value(ElementType::kF8E4M3, 0xb8), -1.0L);
  EXPECT_TRUE(std::isnan(value(ElementType::kF8E4M3, 0xff)));
  EXPECT_EQ(value(ElementType::kF8E5M2, 0x3c), 1.0L);
  EXPECT_EQ(value(ElementType::kF8E5M2, 0x7b), 57344.0L);
  EXPECT_EQ(value(ElementType::kF8E5M2, 0x01), 0x1p-16L);
  EXPECT_TRUE(std::isinf(value(ElementType::kF8E5M2, 0xfc)));
  EXPECT_TRUE(std::isnan(value(ElementType::kF8E5M2, 0x7d)));
  EXPECT_EQ(value(ElementType::kF8E4M3Fnuz, 0x40), 1.0L);
  EXPECT_EQ(value(ElementType::kF8E4M3Fnuz, 0x7f), 240.0L);
  EXPECT_TRUE(std::isnan(value(ElementType::kF8E4M3Fnuz, 0x80)));
  EXPECT_EQ(value(ElementType::kF8E5M2Fnuz, 0x40), 1.0L);
  EXPECT_EQ(value(ElementType::kF8E5M2Fnuz, 0x7f), 57344.0L);
}

// A wrong result in every floating type: the error is seen, and no NaN of either side passes for a number.
TEST(FloatingTypes, EachTellAWrongResult) {
  struct Row {
    ElementType type;
    std::vector<uint8_t> one, two, nan;
  };
  const Row rows[] = {
      {ElementType::kF16, {0x00, 0x3c}, {0x00, 0x40}, {0x00, 0x7e}},
      {ElementType::kBf16, {0x80, 0x3f}, {0x00, 0x40}, {0xc0, 0x7f}},
      {ElementType::kF32, {0, 0, 0x80, 0x3f}, {0, 0, 0, 0x40}, {0, 0, 0xc0, 0x7f}},
      {ElementType::kF64, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, {0, 0, 0, 0, 0, 0, 0, 0x40}, {0, 0, 0, 0, 0, 0, 0xf8, 0x7f}},
      {ElementType::kF8E4M3, {0x38}, {0x40}, {0x7f}},
      {ElementType::kF8E5M2, {0x3c}, {0x40}, {0x7e}},
      {ElementType::kF8E4M3Fnuz, {0x40}, {0x48}, {0x80}},
      {ElementType::kF8E5M2Fnuz, {0x40}, {0x44}, {0x80}},
  };
  for (const auto& [type, one, two, nan] : rows) {
    SCOPED_TRACE(name_of(type));
    const Bounds bounds = {0.5, 0, 0};
    const ElementError error = judge_element(type, bounds, one.data(), two.data());
    EXPECT_FALSE(error.within);
    EXPECT_EQ(error.absolute, 1.0L);
    EXPECT_TRUE(judge_element(type, {1, 0, 0}, one.data(), two.data()).within);
    const Bounds widest = {1e300, 1, UINT64_MAX};
    EXPECT_FALSE(judge_element(type, widest, one.data(), nan.data()).within);
    EXPECT_FALSE(judge_element(type, widest, nan.data(), one.data()).within);
    EXPECT_TRUE(judge_element(type, widest, nan.data(), nan.data()).within);
    EXPECT_EQ(count_special(type, nan), 1u);
    EXPECT_EQ(count_special(type, one), 0u);
  }
}

TEST(ToleranceOption, IsReadAsWritten) {
  const auto whole = parse_tolerance("r3=f32,atol=1e-5,rtol=0.5,ulp=2");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->target, "r3");
  EXPECT_EQ(whole->size, UINT64_MAX);
  EXPECT_EQ(whole->bounds.atol, 1e-5);
  EXPECT_EQ(whole->bounds.rtol, 0.5);
  EXPECT_EQ(whole->bounds.ulp, 2u);
  const auto part = parse_tolerance("_ZN2ns5tableE:16:32=bf16,ulp=1");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->target, "_ZN2ns5tableE");
  EXPECT_EQ(part->offset, 16u);
  EXPECT_EQ(part->size, 32u);
  EXPECT_EQ(part->type, ElementType::kBf16);
  const auto policies = parse_tolerance("r0=f8e4m3,matched=0.5,nan=refuse,inf=ignore");
  ASSERT_TRUE(policies);
  EXPECT_EQ(policies->bounds.matched, 0.5);
  EXPECT_EQ(policies->bounds.nan, Special::kRefuse);
  EXPECT_EQ(policies->bounds.infinity, Special::kIgnore);
  ASSERT_TRUE(parse_tolerance("r0=i32,exact"));
  EXPECT_TRUE(parse_tolerance("r0=i32,exact")->bounds.exact);
  for (const char* bad : {"r0=f32,matched=0", "r0=f32,matched=1.1", "r0=f32,nan=no", "r0=f32,inf=", "r0=f32,exac"}) {
    EXPECT_FALSE(parse_tolerance(bad)) << bad;
  }
  for (const char* bad :
       {"", "r0", "r0=f32", "r0=f32,", "=f32,ulp=1", "r0=f33,ulp=1", "r0=f32,ulp=-1", "r0=f32,atol=-1",
        "r0=f32,rtol=nan", "r0=f32,atol=inf", "r0=f32,atol=1x", "r0=f32,tol=1", "r0:1=f32,ulp=1", ":0:4=f32,ulp=1",
        "r0:0:x=f32,ulp=1", "r0=f32,ulp=1,,atol=1", "r0,ulp=1=f32"}) {
    EXPECT_FALSE(parse_tolerance(bad)) << bad;
  }
}

TEST(ToleranceOption, SurvivesAnyText) {
  std::mt19937 random(2);
  const std::string letters = "r0=f32,atol:1e-9.ulp";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned i = random() % 24; i > 0; --i) text += letters[random() % letters.size()];
    if (const auto read = parse_tolerance(text)) {
      EXPECT_FALSE(read->target.empty()) << text;
      EXPECT_TRUE(std::isfinite(read->bounds.atol) && read->bounds.atol >= 0) << text;
    }
  }
}

}  // namespace
}  // namespace kernloop::replay
