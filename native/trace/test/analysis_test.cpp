// Analyses against counts that are known by construction.
#include <gtest/gtest.h>

#include "trace/block_sched.h"
#include "trace/heat_map.h"
#include "trace/progress.h"
#include "trace/test/trace_maker.h"
#include "trace/totals.h"

namespace kernloop::trace {
namespace {

using testing::Launch;
using testing::map_of;

Trace made(const testing::Folder& folder, const Launch& launch, const Map& map, const testing::Values& values) {
  const auto file = testing::make_trace(Dialect::kWarpDiv, launch, {map}, values);
  auto trace = open_trace({.path = folder.write("a.bin", file.bytes), .maps = {map}, .dialect = {}});
  EXPECT_TRUE(trace.ok());
  return std::move(*trace);
}

// Eight blocks of two warps on processors 7 and 1000 (not dense, as SM ids need not be), two at a time on 7:
//   7: block 0 [100, 200), 2 [100, 150), 4 [160, 260), 6 [210, 220)      1000: 1 [50, 80), 3 [90, 100), 5 [100, 130), 7
//   [130, 131)
constexpr uint64_t kStart[8] = {100, 50, 100, 90, 160, 100, 210, 130},
                   kEnd[8] = {200, 80, 150, 100, 260, 130, 220, 131};

uint64_t scheduled(size_t, uint64_t block, uint64_t warp, uint64_t, size_t field) {
  // The first warp has the start, the second one the end.
  const uint64_t middle = (kStart[block] + kEnd[block]) / 2;
  if (field == 0) return warp == 0 ? kStart[block] : middle;
  if (field == 1) return warp == 0 ? middle - kStart[block] : kEnd[block] - middle;
  return block % 2 ? 1000 : 7;
}

const Map kSched = map_of("block_sched", Level::kWarp, {{"start", 8}, {"elapsed", 4}, {"cuid", 4}}, 1);

TEST(BlockSched, SpansTheWarpsOfABlockAndSharesLanes) {
  const testing::Folder folder;
  const Trace trace = made(folder, {.grid = {8, 1, 1}, .block = {64, 1, 1}}, kSched, scheduled);
  const auto schedule = block_schedule(trace, 0, {0, 1, 2});
  ASSERT_TRUE(schedule.ok()) << schedule.error().message;
  ASSERT_EQ(schedule->processors.size(), 2u);
  const Processor &first = schedule->processors[0], &second = schedule->processors[1];
  EXPECT_EQ(first.id, 7u);
  EXPECT_EQ(first.blocks, 4u);
  EXPECT_EQ(first.lanes, 2u);
  EXPECT_EQ(first.first, 100u);
  EXPECT_EQ(first.last, 260u);
  EXPECT_EQ(first.busy, 160u);
  EXPECT_EQ(first.work, 100u + 50 + 100 + 10);
  EXPECT_EQ(first.gaps, 10u + 10);  // 2 -> 4 and 0 -> 6
  EXPECT_EQ(second.id, 1000u);
  EXPECT_EQ(second.lanes, 1u);
  EXPECT_EQ(second.busy, 30u + 10 + 30 + 1);  // idle between 80 and 90
  EXPECT_EQ(second.gaps, 10u);
  EXPECT_EQ(schedule->intervals.size(), 8u);
  EXPECT_EQ(schedule->unwritten_units, 0u);
}

TEST(BlockSched, CountsWarpsWithoutARecordAndBlocksOnSeveralProcessors) {
  const testing::Folder folder;
  const auto values = [](size_t map, uint64_t block, uint64_t warp, uint64_t record, size_t field) -> uint64_t {
    if (block == 3) return 0;
    if (block == 5 && warp == 1 && field == 2) return 8;
    return scheduled(map, block, warp, record, field);
  };
  const auto schedule =
      block_schedule(made(folder, {.grid = {8, 1, 1}, .block = {64, 1, 1}}, kSched, values), 0, {0, 1, 2});
  EXPECT_EQ(schedule->intervals.size(), 7u);
  EXPECT_EQ(schedule->unwritten_units, 2u);
  EXPECT_EQ(schedule->blocks_on_several, 1u);
}

TEST(BlockSched, WithATimeBeyond64BitsIsAnError) {
  const testing::Folder folder;
  const auto values = [](size_t, uint64_t, uint64_t, uint64_t, size_t) { return ~uint64_t{0}; };
  EXPECT_EQ(block_schedule(made(folder, {.grid = {2, 1, 1}}, kSched, values), 0, {0, 1, 2}).error().code,
            "TRACE_INVALID");
}

// Thread t of 64 touches page t % 4 in slot 0 at clock 1000 + t, and page 10 in slot 1 at clock 2000; slot 2 is empty.
// The upper half of the addresses: signed numbers would sort them wrongly.
constexpr uint64_t kBase = 0xffff800000000000u;

uint64_t touched(size_t, uint64_t, uint64_t thread, uint64_t record, size_t field) {
  if (record == 2) return 0;
  if (field == 0) return record == 0 ? 1000 + thread : 2000;
  return kBase + (record == 0 ? thread % 4 : 10) * 0x10000 + thread;
}

const Map kAccesses = map_of("DMAT", Level::kThread, {{"clock", 8}, {"addr", 8}}, 3);

TEST(HeatMap, CountsEveryAccessOnceByPageAndTime) {
  const testing::Folder folder;
  const Trace trace = made(folder, {.grid = {2, 1, 1}, .block = {64, 1, 1}}, kAccesses, touched);
  const auto heat = heat_map(trace, 0, {.clock = 0, .address = 1, .bins = 10});
  ASSERT_TRUE(heat.ok());
  EXPECT_EQ(heat->accesses, 2u * 64 * 2);
  EXPECT_EQ(heat->empty, 2u * 64);
  ASSERT_EQ(heat->pages.size(), 5u);
  EXPECT_EQ(heat->first_clock, 1000u);
  EXPECT_EQ(heat->last_clock, 2000u);
  EXPECT_EQ(heat->interval, 101u);
  EXPECT_EQ(heat->pages.at(kBase + 0x20000)[0], 2u * 16);
  EXPECT_EQ(heat->pages.at(kBase + 0xa0000)[9], 2u * 64);
  EXPECT_FALSE(heat->pages.contains(0));  // the page of empty slots
}

TEST(HeatMap, JoinsPagesWhereThereAreTooMany) {
  const testing::Folder folder;
  const Trace trace = made(folder, {.grid = {2, 1, 1}, .block = {64, 1, 1}}, kAccesses, touched);
  const auto heat = heat_map(trace, 0, {.clock = 0, .address = 1, .bins = 1, .most_pages = 2});
  EXPECT_EQ(heat->page_bytes, 0x40000u);
  ASSERT_EQ(heat->pages.size(), 2u);
  EXPECT_EQ(heat->pages.at(kBase)[0], 128u);
  EXPECT_EQ(heat->pages.at(kBase + 0x80000)[0], 128u);
}

TEST(Totals, AreSummedOverAllAndByBlock) {
  const testing::Folder folder;
  const auto values = [](size_t, uint64_t block, uint64_t thread, uint64_t, size_t field) -> uint64_t {
    return field == 0 ? 4 * block : (thread == 0 ? 16 : 0);
  };
  const Map map = map_of("GMEMBytes", Level::kThread, {{"sync_bytes", 4}, {"async_bytes", 4}}, 1);
  const auto totals_of = totals(made(folder, {.grid = {3, 2, 1}, .block = {40, 1, 1}}, map, values), 0);
  ASSERT_TRUE(totals_of.ok());
  const Total &sync = (*totals_of)[0], &async = (*totals_of)[1];
  EXPECT_EQ(sync.sum, 4u * (0 + 1 + 2 + 3 + 4 + 5) * 40);
  EXPECT_EQ(sync.units, 5u * 40);
  EXPECT_EQ(sync.least_block, 0u);
  EXPECT_EQ(sync.most_block, 4u * 5 * 40);
  EXPECT_EQ(async.sum, 6u * 16);
  EXPECT_EQ(async.units, 6u);
  EXPECT_FALSE(async.is_beyond);
}

TEST(Totals, BeyondTheirTypeAreSaidToBe) {
  const testing::Folder folder;
  const auto values = [](size_t, uint64_t, uint64_t, uint64_t, size_t) { return uint64_t{1} << 60; };
  const auto totals_of = totals(made(folder, {}, map_of("m", Level::kThread, {{"n", 8}}, 1), values), 0);
  EXPECT_TRUE((*totals_of)[0].is_beyond);
}

// Thread t of 32 has t % 4 + 1 samples of four slots, every 10 clocks from 100 on.
uint64_t sampled(size_t, uint64_t, uint64_t thread, uint64_t record, size_t) {
  return record <= thread % 4 ? 100 + 10 * record : 0;
}

TEST(Progress, CountsSamplesAndWhoIsStillRunning) {
  const testing::Folder folder;
  const Trace trace = made(folder, {.grid = {3, 1, 1}}, map_of("Sample", Level::kThread, {{"clock", 8}}, 4), sampled);
  const auto result = progress(trace, 0, 0, 4);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->samples, 3u * 8 * (1 + 2 + 3 + 4));
  EXPECT_EQ(result->units, 96u);
  EXPECT_EQ(result->full_units, 24u);
  EXPECT_EQ(result->least_samples, 1u);
  EXPECT_EQ(result->most_samples, 4u);
  EXPECT_EQ(result->unordered, 0u);
  EXPECT_EQ(result->interval, 8u);
  EXPECT_EQ(result->samples_in, (std::vector<uint64_t>{96, 72, 48, 24}));
  EXPECT_EQ(result->active_in, (std::vector<uint64_t>{96, 72, 48, 24}));
}

}  // namespace
}  // namespace kernloop::trace
