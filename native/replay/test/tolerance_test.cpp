// Tolerances: what passes, what never does, and what is counted. Oracles: NumPy's definition written out in double, and
// std::nextafter for neighbours.
#include "replay/core/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kernloop::replay {
namespace {

using archive::Buffer;

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
    const auto left =
        judge.accept(at, archive::Bytes(expected).subspan(at, size), archive::Bytes(actual).subspan(at, size), copy);
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
