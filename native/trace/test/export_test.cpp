#include "trace/export.h"

#include <gtest/gtest.h>

#include "trace/test/trace_maker.h"

namespace kernloop::trace {
namespace {

using testing::map_of;

// The second slot of every thread but the first of a block is empty.
uint64_t sparse(size_t, uint64_t block, uint64_t unit, uint64_t record, size_t field) {
  if (record == 1 && unit > 0) return 0;
  return field == 0 ? 0xffffffff00000000u + block * 100 + unit * 10 + record : 4000000000u + unit;
}

Trace sparse_trace(const testing::Folder& folder) {
  const std::vector<Map> maps = {map_of("m", Level::kThread, {{"addr", 8}, {"n", 4}}, 2)};
  const auto made = testing::make_trace(Dialect::kWarpDiv, {.grid = {2, 1, 1}, .block = {2, 1, 1}}, maps, sparse);
  auto trace = open_trace({.path = folder.write("a.bin", made.bytes), .maps = maps, .dialect = {}});
  EXPECT_TRUE(trace.ok());
  return std::move(*trace);
}

TEST(Export, AsCsvHasEveryValueUnsignedAndWhereItComesFrom) {
  const testing::Folder folder;
  const Trace trace = sparse_trace(folder);
  const auto exported = export_map(trace, 0, Format::kCsv, folder.path(), false);
  ASSERT_TRUE(exported.ok());
  EXPECT_EQ(exported->rows, 8u);
  EXPECT_EQ(testing::text_of(folder.path() / "m.csv"),
            "block_index,unit_index,record_index,addr,n\n"
            "0,0,0,18446744069414584320,4000000000\n0,0,1,18446744069414584321,4000000000\n"
            "0,1,0,18446744069414584330,4000000001\n0,1,1,0,0\n"
            "1,0,0,18446744069414584420,4000000000\n1,0,1,18446744069414584421,4000000000\n"
            "1,1,0,18446744069414584430,4000000001\n1,1,1,0,0\n");
}

TEST(Export, LeavesOutWhatNoProbeWroteWhereAsked) {
  const testing::Folder folder;
  const Trace trace = sparse_trace(folder);
  const auto exported = export_map(trace, 0, Format::kJsonLines, folder.path(), true);
  ASSERT_TRUE(exported.ok());
  EXPECT_EQ(exported->rows, 6u);
  EXPECT_EQ(exported->skipped, 2u);
  const std::string text = testing::text_of(folder.path() / "m.jsonl");
  EXPECT_EQ(text.substr(0, text.find('\n')),
            R"({"block_index":0,"unit_index":0,"record_index":0,"addr":"18446744069414584320","n":4000000000})");
}

TEST(Export, AsColumnsHasOneFileEach) {
  const testing::Folder folder;
  const Trace trace = sparse_trace(folder);
  const auto exported = export_map(trace, 0, Format::kColumns, folder.path(), false);
  ASSERT_TRUE(exported.ok());
  ASSERT_EQ(exported->files.size(), 5u);
  const std::string addresses = testing::text_of(folder.path() / "m.addr.u64"),
                    counts = testing::text_of(folder.path() / "m.n.u32");
  ASSERT_EQ(addresses.size(), 64u);
  ASSERT_EQ(counts.size(), 32u);
  uint64_t last;
  std::memcpy(&last, addresses.data() + 48, 8);
  EXPECT_EQ(last, 18446744069414584430u);
}

TEST(Export, ThatCannotBeWrittenIsAnError) {
  const testing::Folder folder;
  const Trace trace = sparse_trace(folder);
  for (const Format format : {Format::kCsv, Format::kColumns}) {
    EXPECT_FALSE(export_map(trace, 0, format, folder.path() / "missing", false).ok());
  }
}

}  // namespace
}  // namespace kernloop::trace
