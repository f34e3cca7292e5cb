#include "capture/core/selection.h"

#include <gtest/gtest.h>

namespace kernloop::capture {
namespace {

SelectionRequest nth(uint64_t ordinal) {
  return {ordinal, ScopeMode::kReachable, 0};
}

TEST(SelectionSet, TheNthMatchIsDueAndNoOther) {
  SelectionSet set;
  set.configure({nth(3)});
  EXPECT_TRUE(set.on_dispatch(1).empty());
  EXPECT_TRUE(set.on_dispatch(1).empty());
  const auto due = set.on_dispatch(1);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].ordinal, 3u);
  set.settle_done(0);
  EXPECT_TRUE(set.on_dispatch(1).empty());
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, OtherKernelsDoNotCount) {
  SelectionSet set;
  set.configure({nth(2), nth(1)});
  EXPECT_EQ(set.on_dispatch(0b10).at(0).selection, 1u);
  EXPECT_TRUE(set.on_dispatch(0b01).empty());
  EXPECT_EQ(set.on_dispatch(0b01).at(0).selection, 0u);
}

TEST(SelectionSet, AfterAViolationTheNextMatchIsDueWithTheMissedRegions) {
  SelectionSet set;
  set.configure({nth(1)});
  ASSERT_EQ(set.on_dispatch(1).size(), 1u);
  // A match of another thread that slips by meanwhile does not use up the selection.
  EXPECT_TRUE(set.on_dispatch(1).empty());
  EXPECT_TRUE(set.settle_widen(0, {{0x1000, 16}}));
  const auto due = set.on_dispatch(1);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].ordinal, 3u);
  EXPECT_EQ(due[0].widened, (std::vector<ByteRange>{{0x1000, 16}}));
}

TEST(SelectionSet, WideningEndsAtSomePoint) {
  SelectionSet set;
  set.configure({nth(1)});
  bool more = true;
  int attempts = 0;
  for (; more && attempts < 100; ++attempts) {
    ASSERT_EQ(set.on_dispatch(1).size(), 1u);
    more = set.settle_widen(0, {{0x1000, 16}});
  }
  EXPECT_LT(attempts, 10);
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, TwoSelectionsMayBeDueAtOnce) {
  SelectionSet set;
  set.configure({nth(1), nth(1)});
  EXPECT_EQ(set.on_dispatch(0b11).size(), 2u);
}

}  // namespace
}  // namespace kernloop::capture
