#include "replay/core/memory/record_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "replay/test/first_region.h"

namespace kernloop::replay {
namespace {

// The region "in" of a capture, 800 bytes of which none is as the next: from byte 8 on, 44 records of 18 bytes.
class RecordOrderTest : public FirstRegionTest {
 protected:
  static constexpr uint64_t kBase = 8, kRecord = 18, kRecords = 44;

  RecordOrderTest() {
    Buffer bytes(800);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(mixed(i));
    hold(bytes);
  }

  void hold(const Buffer& bytes) {
    captured_ = bytes;
    capture_.in.resize(bytes.size() / 4);
    std::memcpy(capture_.in.data(), bytes.data(), bytes.size());
    open();
  }

  static InputArray array(std::vector<AddressRange> parts = {{kBase, kRecord* kRecords}}) {
    InputArray all;
    all.extent = {kBase, kRecord * kRecords};
    all.type = ElementType::kU8;
    all.record_bytes = kRecord;
    all.parts = std::move(parts);
    return all;
  }

  Buffer ordered(const InputArray& records, uint64_t seed = 1, uint64_t window = RecordOrder::kWindowBytes,
                 size_t chunk = 800, uint64_t group = RecordOrder::kGroupBytes) {
    RecordOrder order(*cache_, window, group);
    Buffer bytes = captured_;
    for (size_t at = 0; at < bytes.size(); at += chunk) {
      const std::span<uint8_t> part(&bytes[at], std::min(chunk, bytes.size() - at));
      EXPECT_TRUE(order.put(records, target_, seed, at, part));
    }
    return bytes;
  }

  static std::string record(const Buffer& bytes, uint64_t number) {
    return {reinterpret_cast<const char*>(&bytes[kBase + number * kRecord]), kRecord};
  }
  static std::multiset<std::string> records(const Buffer& bytes, uint64_t from = 0, uint64_t to = kRecords) {
    std::multiset<std::string> all;
    for (uint64_t number = from; number < to; ++number) all.insert(record(bytes, number));
    return all;
  }

  Buffer captured_;
};

TEST_F(RecordOrderTest, HasEveryRecordInAnotherPlaceAndNothingElse) {
  const Buffer now = ordered(array());
  EXPECT_EQ(records(now), records(captured_));
  for (uint64_t number = 0; number < kRecords; ++number) EXPECT_NE(record(now, number), record(captured_, number));
  EXPECT_TRUE(std::equal(now.begin(), now.begin() + kBase, captured_.begin()));
  RecordOrder order(*cache_);
  const auto moved = order.moved(array(), target_, 1);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->records, kRecords);
}

TEST_F(RecordOrderTest, IsTheSameForTheSameSeed) {
  EXPECT_EQ(ordered(array()), ordered(array()));
  EXPECT_NE(ordered(array()), ordered(array(), 2));
  RecordOrder order(*cache_);
  const auto one = order.moved(array(), target_, 1), again = order.moved(array(), target_, 1),
             other = order.moved(array(), target_, 2);
  ASSERT_TRUE(one && again && other);
  EXPECT_EQ(one->digest, again->digest);
  EXPECT_NE(one->digest, other->digest);
}

TEST_F(RecordOrderTest, IsTheSameForRecordsThatStraddleChunks) {
  for (const uint64_t window : {RecordOrder::kWindowBytes, uint64_t{100}}) {
    const Buffer whole = ordered(array(), 1, window);
    for (const size_t chunk : {1, 7, 16, 18, 19, 64, 400})
      EXPECT_EQ(ordered(array(), 1, window, chunk), whole) << chunk;
  }
}

TEST_F(RecordOrderTest, KeepsToWindowsWhereItsMemoryIsLess) {
  // Windows of at most five records: nine of them.
  const Buffer now = ordered(array(), 1, 100);
  for (uint64_t window = 0; window < 9; ++window) {
    const uint64_t from = kRecords * window / 9, to = kRecords * (window + 1) / 9;
    EXPECT_EQ(records(now, from, to), records(captured_, from, to)) << window;
  }
  for (uint64_t number = 0; number < kRecords; ++number) EXPECT_NE(record(now, number), record(captured_, number));
}

TEST_F(RecordOrderTest, MovesGroupsAndTheRecordsInThem) {
  // 220 records, 64 of them in a group: two groups, and 92 records behind them.
  Buffer bytes(kBase + 220 * kRecord);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(mixed(i));
  hold(bytes);
  InputArray all = array({{kBase, 220 * kRecord}});
  all.extent = {kBase, 220 * kRecord};
  constexpr uint64_t kGroup = 64;
  const Buffer now = ordered(all, 1, RecordOrder::kWindowBytes, 100, kGroup * kRecord);
  EXPECT_EQ(records(now, 0, 220), records(captured_, 0, 220));
  for (uint64_t number = 0; number < 220; ++number) EXPECT_NE(record(now, number), record(captured_, number)) << number;
  std::set<uint64_t> from;
  for (uint64_t group = 0; group < 2; ++group) {
    const auto content = records(now, group * kGroup, (group + 1) * kGroup);
    for (uint64_t other = 0; other < 2; ++other) {
      if (content != records(captured_, other * kGroup, (other + 1) * kGroup)) continue;
      EXPECT_NE(other, group);
      from.insert(other);
      EXPECT_NE(record(now, group * kGroup + 1), record(captured_, other * kGroup + 1)) << "in its order of before";
    }
  }
  EXPECT_EQ(from.size(), 2u);
  EXPECT_EQ(records(now, 2 * kGroup, 220), records(captured_, 2 * kGroup, 220));
  // Windows of two arrays and two seeds: what is loaded for one is no answer for another.
  RecordOrder order(*cache_, 4000, kGroup * kRecord);
  InputArray half = array({{kBase, 110 * kRecord}});
  half.extent = {kBase, 110 * kRecord};
  InputArray rest = array({{kBase + 110 * kRecord, 110 * kRecord}});
  rest.extent = {kBase + 110 * kRecord, 110 * kRecord};
  const auto put = [&](RecordOrder& by, const InputArray& records, uint64_t seed) {
    Buffer content = captured_;
    EXPECT_TRUE(by.put(records, target_, seed, 0, content));
    return content;
  };
  for (const uint64_t seed : {1, 2, 1}) {
    for (const InputArray& records : {half, rest, half}) {
      RecordOrder fresh(*cache_, 4000, kGroup * kRecord);
      EXPECT_EQ(put(order, records, seed), put(fresh, records, seed));
    }
  }
}

TEST_F(RecordOrderTest, LeavesRecordsThatAreNotToMove) {
  const InputArray some = array({{kBase, 5 * kRecord}, {kBase + 10 * kRecord, 20 * kRecord}});
  for (const uint64_t window : {RecordOrder::kWindowBytes, uint64_t{100}}) {
    const Buffer now = ordered(some, 1, window, 31);
    EXPECT_EQ(records(now), records(captured_));
    for (uint64_t number = 0; number < kRecords; ++number) {
      const bool may_move = number < 5 || (number >= 10 && number < 30);
      EXPECT_EQ(record(now, number) != record(captured_, number), may_move) << number;
    }
  }
}

TEST_F(RecordOrderTest, CountsPlacesWithAnotherContentAlone) {
  // Two kinds of records: most of those that move come where one like them was.
  Buffer two(800, 0);
  for (uint64_t number = 0; number < kRecords; number += 2) two[kBase + number * kRecord] = 1;
  hold(two);
  const Buffer now = ordered(array());
  uint64_t others = 0;
  for (uint64_t number = 0; number < kRecords; ++number) others += record(now, number) != record(captured_, number);
  RecordOrder order(*cache_);
  const auto moved = order.moved(array(), target_, 1);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->records, others);
  EXPECT_GT(others, 0u);
  EXPECT_LT(others, kRecords);
  hold(Buffer(800, 7));
  RecordOrder equal(*cache_);
  const auto none = equal.moved(array(), target_, 1);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->records, 0u);
}

TEST_F(RecordOrderTest, HasNothingToDoForOneRecordOrNone) {
  for (const std::vector<AddressRange>& parts :
       {std::vector<AddressRange>{}, std::vector<AddressRange>{{kBase + kRecord, kRecord}}}) {
    EXPECT_EQ(ordered(array(parts)), captured_);
    RecordOrder order(*cache_);
    const auto moved = order.moved(array(parts), target_, 1);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->records, 0u);
  }
}

}  // namespace
}  // namespace kernloop::replay
