// Truncated or damaged files: an error, or the rows in the bytes; never anything else.
#include <gtest/gtest.h>

#include <random>

#include "trace/block_sched.h"
#include "trace/heat_map.h"
#include "trace/maps.h"
#include "trace/summary.h"
#include "trace/test/trace_maker.h"

namespace kernloop::trace {
namespace {

using testing::make_trace;
using testing::map_of;
using testing::value_of;

std::vector<Map> small_maps() {
  return {map_of("sched", Level::kWarp, {{"start", 8}, {"elapsed", 4}, {"cuid", 4}}, 1),
          map_of("count", Level::kThread, {{"bytes", 8}}, 1)};
}

TEST(Truncation, AtEveryByteIsAnErrorThatNamesAField) {
  const testing::Folder folder;
  for (const Dialect dialect : kDialects) {
    const auto made = make_trace(dialect, {.grid = {2, 1, 1}, .block = {64, 1, 1}}, small_maps(), value_of);
    for (size_t size = 0; size < made.bytes.size(); ++size) {
      const auto path = folder.write("cut.bin", std::span(made.bytes).first(size));
      const auto trace = open_trace({.path = path, .maps = small_maps(), .dialect = {}});
      ASSERT_FALSE(trace.ok()) << name_of(dialect) << " cut to " << size;
      EXPECT_EQ(trace.error().code, "TRACE_INVALID");
      const std::string& message = trace.error().message;
      EXPECT_TRUE(message.find("section[") != std::string::npos || message.find("numProbes") != std::string::npos ||
                  message.find("a header is of 32") != std::string::npos)
          << message;
    }
  }
}

TEST(Truncation, OfAFileThatGrewIsAnErrorToo) {
  const testing::Folder folder;
  for (const Dialect dialect : kDialects) {
    auto made = make_trace(dialect, {.grid = {2, 1, 1}, .block = {64, 1, 1}}, small_maps(), value_of);
    made.bytes.push_back(0);
    EXPECT_FALSE(open_trace({.path = folder.write("long.bin", made.bytes), .maps = small_maps(), .dialect = {}}).ok());
  }
}

// Header and sections determine the rows' offsets: a single wrong bit of them is found, except in fields without
// redundancy (shared bytes; dimensions that multiply to the same; the garbage of HIP's sections).
TEST(Corruption, OfOneBitOfTheTableIsFound) {
  const testing::Folder folder;
  const auto made = make_trace(Dialect::kWarpDiv, {.grid = {5, 1, 1}, .block = {64, 1, 1}}, small_maps(), value_of);
  for (size_t bit = 0; bit < 64 * 8; ++bit) {
    if (bit / 32 == 6) continue;  // sharedMemBytes
    auto bytes = made.bytes;
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    const auto trace = open_trace({.path = folder.write("bad.bin", bytes), .maps = small_maps(), .dialect = {}});
    EXPECT_FALSE(trace.ok()) << "bit " << bit;
  }
}

// Many bits: an opened file has its rows inside the file, and can be read and analysed to the end.
TEST(Corruption, AtRandomNeverLeadsOutOfTheFile) {
  const testing::Folder folder;
  std::mt19937 random(15);
  int opened = 0;
  for (int round = 0; round < 4000; ++round) {
    const Dialect dialect = kDialects[random() % kDialects.size()];
    auto made = make_trace(dialect, {.grid = {2, 1, 1}, .block = {32, 1, 1}}, small_maps(), value_of);
    for (unsigned n = random() % 4; n > 0; --n)
      made.bytes[random() % (n % 2 ? 64 : made.bytes.size())] = static_cast<uint8_t>(random());
    for (const Offsets offsets : {Offsets::kRepaired, Offsets::kRecorded}) {
      const auto trace = open_trace(
          {.path = folder.write("bad.bin", made.bytes), .maps = small_maps(), .dialect = {}, .offsets = offsets});
      if (!trace) continue;
      ++opened;
      for (size_t map = 0; map < 2; ++map) EXPECT_TRUE(summarise(*trace, map).ok());
      (void)block_schedule(*trace, 0, {0, 1, 2});
      (void)heat_map(*trace, 0, {.clock = 1, .address = 0, .bins = 4});
    }
  }
  EXPECT_GT(opened, 0);
}

TEST(Maps, OfNoUseAreRefused) {
  const std::vector<std::string> bad = {
      "",
      "{}",
      "[1]",
      R"([{"name": "a"}])",
      R"([{"name": "a", "level": "lane", "fields": []}])",
      R"([{"name": "a", "level": "warp", "fields": []}])",
      R"([{"name": "../a", "level": "warp", "fields": [{"name": "x", "bytes": 8, "offset": 0}]}])",
      R"([{"name": "a", "level": "warp", "fields": [{"name": "x", "bytes": 2, "offset": 0}]}])",
      R"([{"name": "a", "level": "warp", "fields": [{"name": "x", "bytes": 8, "offset": 1}]}])",
      R"([{"name": "a", "level": "warp", "fields": [{"name": "block_index", "bytes": 8, "offset": 0}]}])",
      R"([{"name": "a", "level": "warp", "fields": [{"name": "x", "bytes": 4, "offset": 0}, {"name": "x", "bytes": 4, "offset": 4}]}])",
      R"([{"name": "a", "level": "warp", "unit_bytes": -1, "fields": [{"name": "x", "bytes": 8, "offset": 0}]}])"};
  for (const std::string& json : bad) EXPECT_FALSE(parse_maps(json).ok()) << json;
  EXPECT_TRUE(
      parse_maps(
          R"([{"name": "a", "level": "warp", "unit_bytes": null, "fields": [{"name": "x", "bytes": 8, "offset": 0}]}])")
          .ok());
}

}  // namespace
}  // namespace kernloop::trace
