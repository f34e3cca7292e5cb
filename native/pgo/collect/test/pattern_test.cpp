#include <gtest/gtest.h>

#include "pgo/collect/file_pattern.h"

namespace kernloop::pgo {
namespace {

const PatternValues kValues{123, "box", "/tmp/here", "abcd"};

TEST(FilePattern, ThePatternsOfLlvmAreReplaced) {
  const auto parsed = parse_file_pattern("%t/a-%p-%h-%b-100%%.profraw", kValues);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->path_for(9, 123), "/tmp/here/a-123-box-abcd-100%.profraw");
  EXPECT_FALSE(parsed->pool);
}

TEST(FilePattern, APoolHasASignatureAndANumberBelowItsSize) {
  const auto parsed = parse_file_pattern("a-%4m.profraw", kValues);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->pool);
  EXPECT_EQ(parsed->path_for(77, 10), "a-77_2.profraw");
  EXPECT_EQ(parse_file_pattern("%m", kValues)->path_for(77, 10), "77_0");
}

TEST(FilePattern, ContinuousModeIsNoted) {
  EXPECT_TRUE(parse_file_pattern("a%c", kValues)->continuous);
}

TEST(FilePattern, WhatIsUnknownOrCannotBeReplacedIsNamed) {
  for (const auto& [pattern, why] : {std::pair{"a%q", "%q is unknown"},
                                     {"a%", "it ends with %"},
                                     {"%0m", "%0 is unknown"},
                                     {"%12m", "%1 is unknown"},
                                     {"%m%m", "once"},
                                     {"", "names no file"}}) {
    const auto parsed = parse_file_pattern(pattern, kValues);
    ASSERT_FALSE(parsed) << pattern;
    EXPECT_EQ(parsed.error().code, "PGO_PROFILE_FILE");
    EXPECT_NE(parsed.error().message.find(why), std::string::npos) << parsed.error().message;
  }
  EXPECT_FALSE(parse_file_pattern("%t/a", {1, "h", "", "b"}));
  EXPECT_FALSE(parse_file_pattern("%b/a", {1, "h", "t", ""}));
}

}  // namespace
}  // namespace kernloop::pgo
