#include "trace/dmat.h"

#include <gtest/gtest.h>

#include "trace/test/trace_maker.h"

namespace kernloop::trace {
namespace {

using testing::map_of;

// Two threads of two slots: page 1 twice at clock 5, page 2 at clock 9, and an empty slot, which is no access of page
// 0.
uint64_t accessed(size_t, uint64_t, uint64_t thread, uint64_t record, size_t field) {
  if (thread == 1 && record == 1) return 0;
  if (record == 0) return field == 0 ? 5 : 0x10000 + thread;
  return field == 0 ? 9 : 0x20008;
}

std::filesystem::path written(const testing::Folder& folder, Dmat& dmat) {
  const std::vector<Map> maps = {map_of("DMAT", Level::kThread, {{"clock", 8}, {"addr", 8}}, 2)};
  const auto made = testing::make_trace(Dialect::kWarpDiv, {.block = {2, 1, 1}}, maps, accessed);
  const auto trace = open_trace({.path = folder.write("a.bin", made.bytes), .maps = maps, .dialect = {}});
  const auto result = write_dmat(*trace, 0, 0, 1, folder.path() / "a.dmat");
  EXPECT_TRUE(result.ok());
  dmat = *result;
  return folder.path() / "a.dmat";
}

TEST(DmatFile, IsWrittenAsNeutrinosPlotReadsIt) {
  const testing::Folder folder;
  Dmat dmat;
  const std::string bytes = testing::text_of(written(folder, dmat));
  EXPECT_EQ(dmat.empty, 1u);
  const uint64_t words[] = {2, 2, 0x10000, 0x20000, 5, 1, 0x10000};
  ASSERT_EQ(bytes.size(), 16u + 16 + 2 * (16 + 12));
  EXPECT_EQ(bytes.substr(0, sizeof words), std::string(reinterpret_cast<const char*>(words), sizeof words));
  EXPECT_EQ(bytes[sizeof words], 2);  // accesses of page 1 at clock 5
}

TEST(DmatFile, ReadBackHasTheSameCounts) {
  const testing::Folder folder;
  Dmat dmat;
  const auto read = read_dmat(written(folder, dmat));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->pages, 2u);
  EXPECT_EQ(read->clocks, 2u);
  EXPECT_EQ(read->pairs, 2u);
  EXPECT_EQ(read->accesses, 3u);
  EXPECT_EQ(read->first_clock, 5u);
  EXPECT_EQ(read->last_clock, 9u);
}

TEST(DmatFile, CutOffAnywhereOrWithABitMoreIsAnError) {
  const testing::Folder folder;
  Dmat dmat;
  const std::string text = testing::text_of(written(folder, dmat));
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_dmat(folder.write("cut.dmat", std::span(bytes).first(size))).ok()) << size;
  }
  auto more = bytes;
  more.push_back(0);
  EXPECT_FALSE(read_dmat(folder.write("more.dmat", more)).ok());
  auto other = bytes;
  other[48 + 2] ^= 4;  // a page that is not listed
  EXPECT_FALSE(read_dmat(folder.write("other.dmat", other)).ok());
}

}  // namespace
}  // namespace kernloop::trace
