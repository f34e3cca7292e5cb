#include "capture/core/selection.h"

#include <gtest/gtest.h>

namespace kernloop::capture {
namespace {

SelectionRequest nth(uint64_t ordinal) {
  SelectionRequest request;
  request.ordinals = {{ordinal, ordinal}};
  return request;
}

SelectionRequest several(std::vector<OrdinalRange> ordinals, uint64_t limit, Each each = Each::kDispatch) {
  SelectionRequest request;
  request.ordinals = std::move(ordinals);
  request.limit = limit;
  request.each = each;
  return request;
}

Candidate match(uint64_t selections = 1) {
  return {selections, 0, {}};
}

Candidate shaped(uint32_t kernel, uint64_t grid, uint32_t block = 64) {
  return {1, 0, {kernel, {grid, 1, 1}, {block, 1, 1}}};
}

// The ordinals that were due, when each of them is captured at once.
std::vector<uint64_t> captured(SelectionSet& set, const std::vector<Candidate>& dispatches) {
  std::vector<uint64_t> ordinals;
  for (const Candidate& dispatch : dispatches) {
    for (const Due& due : set.on_dispatch(dispatch)) {
      ordinals.push_back(due.ordinal);
      set.settle_done(due);
    }
  }
  return ordinals;
}

using Ordinals = std::vector<uint64_t>;

TEST(SelectionSet, TheNthMatchIsDueAndNoOther) {
  SelectionSet set;
  set.configure({nth(3)});
  EXPECT_TRUE(set.on_dispatch(match()).empty());
  EXPECT_TRUE(set.on_dispatch(match()).empty());
  const auto due = set.on_dispatch(match());
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].ordinal, 3u);
  set.settle_done(due[0]);
  EXPECT_TRUE(set.on_dispatch(match()).empty());
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, OtherKernelsDoNotCount) {
  SelectionSet set;
  set.configure({nth(2), nth(1)});
  EXPECT_EQ(set.on_dispatch(match(0b10)).at(0).selection, 1u);
  EXPECT_TRUE(set.on_dispatch(match(0b01)).empty());
  EXPECT_EQ(set.on_dispatch(match(0b01)).at(0).selection, 0u);
}

TEST(SelectionSet, AfterAViolationTheNextMatchIsDueWithTheMissedRegions) {
  SelectionSet set;
  set.configure({nth(1)});
  const auto first = set.on_dispatch(match());
  ASSERT_EQ(first.size(), 1u);
  // A match of another thread that slips by meanwhile does not use up the selection.
  EXPECT_TRUE(set.on_dispatch(match()).empty());
  EXPECT_TRUE(set.settle_widen(first[0], {{0x1000, 16}}));
  const auto due = set.on_dispatch(match());
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
    const auto due = set.on_dispatch(match());
    ASSERT_EQ(due.size(), 1u);
    more = set.settle_widen(due[0], {{0x1000, 16}});
  }
  EXPECT_LT(attempts, 10);
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, TwoSelectionsMayBeDueAtOnce) {
  SelectionSet set;
  set.configure({nth(1), nth(1)});
  EXPECT_EQ(set.on_dispatch(match(0b11)).size(), 2u);
}

TEST(SelectionSet, RangesAreDueFromEndToEnd) {
  SelectionSet set;
  set.configure({several({{2, 3}, {5, 5}, {8, 9}}, 100)});
  EXPECT_EQ(captured(set, std::vector(8, match())), (Ordinals{2, 3, 5, 8}));
  EXPECT_TRUE(set.anything_left());
  EXPECT_EQ(captured(set, std::vector(8, match())), (Ordinals{9}));
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, ARangeWithoutAnEndEndsAtTheLimit) {
  SelectionSet set;
  set.configure({several({{4, UINT64_MAX}}, 3)});
  EXPECT_EQ(captured(set, std::vector(20, match())), (Ordinals{4, 5, 6}));
  EXPECT_FALSE(set.anything_left());
}

// A range is not a number of captures: a refused dispatch is not replaced by one outside the range.
TEST(SelectionSet, WhatARangeLosesIsNotReplaced) {
  SelectionSet set;
  set.configure({several({{2, 3}}, 10)});
  EXPECT_TRUE(set.on_dispatch(match()).empty());
  set.settle_widen(set.on_dispatch(match()).at(0), {{0x1000, 16}});
  const auto due = set.on_dispatch(match());
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].ordinal, 3u);
  EXPECT_EQ(due[0].widened.size(), 1u) << "what the one before lacked, this one has";
  set.settle_done(due[0]);
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, TwoThreadsMayCaptureTwoMatchesOfARangeAtOnce) {
  SelectionSet set;
  set.configure({several({{1, 2}}, 2)});
  const auto first = set.on_dispatch(match()), second = set.on_dispatch(match());
  ASSERT_EQ(first.size() + second.size(), 2u);
  set.settle_done(second[0]);
  EXPECT_TRUE(set.anything_left());
  set.settle_done(first[0]);
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, EachGeometryOfEachKernelIsDueOnce) {
  SelectionSet set;
  set.configure({several({{1, UINT64_MAX}}, 100, Each::kGeometry)});
  EXPECT_EQ(captured(set, {shaped(0, 64), shaped(1, 64), shaped(0, 64), shaped(0, 128), shaped(1, 64),
                           shaped(0, 64, 32), shaped(0, 128), shaped(1, 128)}),
            (Ordinals{1, 2, 4, 6, 8}));
}

TEST(SelectionSet, EachKernelIsDueOnceWhateverItsGeometry) {
  SelectionSet set;
  set.configure({several({{1, UINT64_MAX}}, 100, Each::kKernel)});
  EXPECT_EQ(captured(set, {shaped(0, 64), shaped(0, 128), shaped(1, 64), shaped(1, 64), shaped(0, 64, 32)}),
            (Ordinals{1, 3}));
}

TEST(SelectionSet, OnlyGeometriesAmongTheOrdinalsCount) {
  SelectionSet set;
  set.configure({several({{3, 6}}, 100, Each::kGeometry)});
  EXPECT_EQ(captured(set, {shaped(0, 64), shaped(0, 128), shaped(0, 64), shaped(0, 64), shaped(0, 128), shaped(0, 128),
                           shaped(0, 256)}),
            (Ordinals{3, 5}));
  EXPECT_FALSE(set.anything_left());
}

TEST(SelectionSet, AGeometryWhoseScopeWasTooSmallIsDueAgain) {
  SelectionSet set;
  set.configure({several({{1, UINT64_MAX}}, 2, Each::kGeometry)});
  set.settle_widen(set.on_dispatch(shaped(0, 64)).at(0), {{0x1000, 16}});
  EXPECT_EQ(captured(set, {shaped(0, 128), shaped(0, 64), shaped(0, 256)}), (Ordinals{2, 3}));
}

TEST(SelectionSet, MatchesCountFromBehindTheGate) {
  SelectionRequest request = nth(2);
  request.after = 2;
  SelectionSet set;
  set.configure({request});
  const Candidate gate{0, 1, {}}, both{1, 1, {}};
  EXPECT_TRUE(captured(set, {match(), match(), match(), gate, match(), match()}).empty()) << "one gate is not two";
  // The kernel may be its own gate: that dispatch does not count yet.
  EXPECT_EQ(captured(set, {both, match(), gate, match()}), (Ordinals{2}));
}

TEST(SelectionSet, WhatIsOnlyCountedIsNeverDueAndNeverDone) {
  SelectionRequest request = several({{1, UINT64_MAX}}, 0);
  request.to_end = true;
  std::atomic<uint64_t> matches[2] = {0, 0};
  SelectionSet set;
  set.configure({nth(1), request}, matches);
  EXPECT_EQ(captured(set, std::vector(5, match(0b11))), (Ordinals{1}));
  EXPECT_TRUE(set.anything_left());
  EXPECT_EQ(matches[0].load(), 5u);
  EXPECT_EQ(matches[1].load(), 5u);
}

}  // namespace
}  // namespace kernloop::capture
