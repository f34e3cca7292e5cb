// The file of varying ranges: every kind of it comes back as the bytes that earlier versions wrote.
#include "verdict/varying.h"

#include <gtest/gtest.h>

#include <fstream>

#include "archive/test/temporary_directory.h"

namespace kernloop::replay {
namespace {

std::vector<Target> targets() {
  Target region, variable;
  region.name = "r0", region.size = 64;
  variable.name = "sum", variable.is_variable = true, variable.size = 8;
  return {region, variable};
}

Result<std::vector<VaryingRange>> read(const std::string& range) {
  const archive::TemporaryDirectory folder;
  std::ofstream(folder.path() / "selfcheck.json") << R"({"varying":[)" << range << "]}";
  return read_varying(folder.path() / "selfcheck.json", targets());
}

struct Kind {
  const char* name;
  std::string text;
  size_t alternative;
};

class VaryingFile : public testing::TestWithParam<Kind> {};

TEST_P(VaryingFile, ComesBackByteForByte) {
  const auto ranges = read(GetParam().text);
  ASSERT_TRUE(ranges) << ranges.error().message;
  ASSERT_EQ(ranges->size(), 1u);
  EXPECT_EQ(ranges->front().values.index(), GetParam().alternative);
  EXPECT_EQ(json_text(to_json(ranges->front())), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryKind, VaryingFile,
    testing::Values(
        Kind{"values_seen", R"({"count":2,"dtype":"f32","max":[2.5,0.0],"min":[1.5,-2.0],"offset":8,"region":"r0"})",
             0},
        Kind{"bounds",
             R"({"count":2,"dtype":"i32","high":[9,3],"low":[-4,0],"max":[7,3],"min":[-3,1],"offset":0,"region":"r0"})",
             0},
        Kind{"free_of_an_earlier_version",
             R"({"count":6,"dtype":"u32","max":[],"min":[],"offset":8,"permuted":true,"region":"r0"})", 1},
        Kind{"free_and_too_long",
             R"({"count":6,"dtype":"u32","max":[],"min":[],"offset":8,"permuted":true,"records":[],"region":"r0"})", 1},
        Kind{"free",
             R"({"count":6,"dtype":"u32","indexes":{"bytes":4,"count":2,"index_bytes":4,"index_count":6,)"
             R"("index_offset":8,"offset":0,"variable":"sum"},"max":[],"min":[],"offset":8,"permuted":true,"records":[)"
             R"({"before":1,"behind":2,"bytes":8,"certain":true,"count":3,"offset":8,"order":0,"spans":[0,1,2,3]}],)"
             R"("region":"r0"})",
             1},
        Kind{"order_dependent",
             R"({"count":5,"dtype":"u8","max":[],"min":[],"offset":3,"order_dependent":true,"region":"r0"})", 2}),
    [](const auto& kind) { return std::string(kind.param.name); });

TEST(VaryingFile, TellsARangeInFreeOrderFromOneThatIsNotJudged) {
  // Earlier versions gave `permuted` precedence where a file has both.
  const auto both = read(
      R"({"count":4,"dtype":"u8","max":[],"min":[],"offset":0,"order_dependent":true,"permuted":true,"region":"r0"})");
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_TRUE(both->front().free_elements());
  EXPECT_TRUE(unjudged_in(targets().front(), *both).empty());

  const auto unjudged =
      read(R"({"count":4,"dtype":"u16","max":[],"min":[],"offset":2,"order_dependent":true,"region":"r0"})");
  ASSERT_TRUE(unjudged) << unjudged.error().message;
  const auto bytes = unjudged_in(targets().front(), *unjudged);
  ASSERT_EQ(bytes.size(), 1u);
  EXPECT_EQ(bytes[0].base, 2u);
  EXPECT_EQ(bytes[0].size, 8u) << "elements are not bytes";
}

TEST(VaryingFile, JudgesByTheBoundsIfThereAreAnyAndByTheSpreadIfNot) {
  const auto bounded =
      read(R"({"count":1,"dtype":"f32","high":[9],"low":[-4],"max":[7],"min":[-3],"offset":0,"region":"r0"})");
  ASSERT_TRUE(bounded) << bounded.error().message;
  EXPECT_TRUE(bounded->front().intervals()->passes(0, -4));
  EXPECT_TRUE(bounded->front().intervals()->passes(0, 9));
  EXPECT_FALSE(bounded->front().intervals()->passes(0, 10));
  const auto seen = read(R"({"count":1,"dtype":"f32","max":[7],"min":[-3],"offset":0,"region":"r0"})");
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_TRUE(seen->front().intervals()->passes(0, 17));
  EXPECT_FALSE(seen->front().intervals()->passes(0, 17.5));
}

}  // namespace
}  // namespace kernloop::replay
