// Files in every dialect, decoded to the values that they were made from.
#include <gtest/gtest.h>

#include "trace/scan.h"
#include "trace/summary.h"
#include "trace/test/trace_maker.h"

namespace kernloop::trace {
namespace {

using testing::Launch;
using testing::make_trace;
using testing::map_of;
using testing::value_of;

std::vector<Map> two_maps() {
  return {map_of("sched", Level::kWarp, {{"start", 8}, {"elapsed", 4}, {"cuid", 4}}, 1),
          map_of("access", Level::kThread, {{"clock", 8}, {"addr", 8}}, 3)};
}

Request request_for(const std::filesystem::path& path, std::vector<Map> maps, Offsets offsets = Offsets::kUnsaid) {
  return {.path = path, .maps = std::move(maps), .dialect = {}, .offsets = offsets};
}

uint64_t as_field(uint64_t value, const Field& field) {
  return field.bytes == 4 ? static_cast<uint32_t>(value) : value;
}

// Compares every field of every record; returns the number of records.
uint64_t expect_values(const Trace& trace, size_t map) {
  const Rows rows = rows_of(trace, map);
  uint64_t seen = 0;
  const Status scanned = scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t i = 0; i < run.count; ++i, ++seen) {
      const uint64_t row = run.row + i;
      EXPECT_EQ(row, seen);
      for (size_t f = 0; f < trace.maps[map].fields.size(); ++f) {
        const Field& field = trace.maps[map].fields[f];
        const uint64_t made =
            value_of(map, row / rows.of_block(), row / rows.records % rows.units, row % rows.records, f);
        EXPECT_EQ(value_at(run.bytes + i * run.stride, field), as_field(made, field))
            << field.name << " of row " << row;
      }
    }
    return Unit{};
  });
  EXPECT_TRUE(scanned.ok());
  return seen;
}

class EveryDialect : public ::testing::TestWithParam<Dialect> {};

TEST_P(EveryDialect, IsFoundAndDecodedToTheValuesItWasMadeFrom) {
  const testing::Folder folder;
  const Launch launch{.grid = {3, 2, 2}, .block = {16, 4, 2}, .shared_bytes = 512};
  const uint32_t warp = GetParam() == Dialect::kHipTotal ? 64 : 32;
  const auto made = make_trace(GetParam(), launch, two_maps(), value_of, warp);
  const auto trace = open_trace(request_for(folder.write("a.bin", made.bytes), two_maps()));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->layout.dialect, GetParam());
  EXPECT_EQ(trace->layout.header.shared_bytes, 512u);
  EXPECT_EQ(expect_values(*trace, 0), 12u * (128 / warp));
  EXPECT_EQ(expect_values(*trace, 1), 12u * 128 * 3);
}

TEST_P(EveryDialect, IsFoundWhereTheProgramCountedAtRunTime) {
  const testing::Folder folder;
  const std::vector<Map> maps = {map_of("DMAT", Level::kThread, {{"clock", 8}, {"addr", 8}}, 5)};
  const auto made = make_trace(GetParam(), {.grid = {7, 1, 1}, .block = {33, 1, 1}}, maps, value_of);
  std::vector<Map> dynamic = maps;
  dynamic[0].unit_bytes.reset();
  const auto trace = open_trace(request_for(folder.write("a.bin", made.bytes), dynamic));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(*trace->layout.sections[0].unit_bytes, 80u);
  EXPECT_EQ(expect_values(*trace, 0), 7u * 33 * 5);
}

// The probes begin a block floor(threads / warp) units behind the one before, the driver allocates ceil: the next
// block's first warp overwrites the last warp of a block.
TEST_P(EveryDialect, OfRaggedBlocksGivesTheWarpsThatWereNotWrittenOver) {
  const testing::Folder folder;
  const Launch launch{.grid = {3, 1, 1}, .block = {100, 1, 1}};
  const auto made = make_trace(GetParam(), launch, two_maps(), value_of);
  const auto path = folder.write("a.bin", made.bytes);
  const auto trace = open_trace(request_for(path, two_maps(), Offsets::kRepaired));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_TRUE(trace->layout.sections[0].is_ragged);
  EXPECT_EQ(trace->layout.sections[0].units_written, 4u);
  EXPECT_EQ(expect_values(*trace, 0), 9u);
  EXPECT_EQ(expect_values(*trace, 1), 900u);
}

std::string dialect_name(const ::testing::TestParamInfo<Dialect>& info) {
  std::string name = name_of(info.param);
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

INSTANTIATE_TEST_SUITE_P(Traces, EveryDialect, ::testing::ValuesIn(kDialects), dialect_name);

// The numbers come from Neutrino's own code: 3 blocks of 100 threads, 16 bytes a warp and 8 a thread.
TEST(RaggedBlocks, HaveWrongOffsetsThatSomebodyHasToDecideAbout) {
  const testing::Folder folder;
  const std::vector<Map> maps = {map_of("a", Level::kWarp, {{"x", 8}, {"y", 8}}, 1),
                                 map_of("b", Level::kThread, {{"z", 8}}, 1)};
  const auto made = make_trace(Dialect::kWarpDiv, {.grid = {3, 1, 1}, .block = {100, 1, 1}}, maps, value_of);
  ASSERT_EQ(made.bytes.size(), 2656u);
  const auto path = folder.write("a.bin", made.bytes);
  const auto unsaid = open_trace(request_for(path, maps));
  ASSERT_FALSE(unsaid.ok());
  EXPECT_EQ(unsaid.error().code, "TRACE_OFFSETS");
  const auto repaired = open_trace(request_for(path, maps, Offsets::kRepaired));
  ASSERT_TRUE(repaired.ok());
  EXPECT_EQ(repaired->layout.sections[1].recorded_offset, 214u);
  EXPECT_EQ(repaired->layout.sections[1].offset, 256u);
  EXPECT_EQ(expect_values(*repaired, 1), 300u);
  // Neutrino's reader uses the recorded offset.
  const auto recorded = open_trace(request_for(path, maps, Offsets::kRecorded));
  ASSERT_TRUE(recorded.ok());
  EXPECT_EQ(recorded->layout.sections[1].offset, 214u);
  const auto right = summarise(*repaired, 1), wrong = summarise(*recorded, 1);
  EXPECT_NE((*right)[0].sum, (*wrong)[0].sum);
}

TEST(RaggedBlocks, OfOneBlockLoseNothing) {
  const testing::Folder folder;
  const std::vector<Map> maps = {map_of("a", Level::kWarp, {{"x", 8}, {"y", 8}}, 1)};
  const auto made = make_trace(Dialect::kWarpDiv, {.block = {100, 1, 1}}, maps, value_of);
  const auto trace = open_trace(request_for(folder.write("a.bin", made.bytes), maps));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(expect_values(*trace, 0), 4u);
}

// Kernloop's own files: a divisor by which Neutrino's reader finds every warp of a ragged block.
TEST(RaggedBlocks, WithADivisorOfTheirOwnAreWhole) {
  const testing::Folder folder;
  const std::vector<Map> maps = {map_of("a", Level::kWarp, {{"x", 8}}, 1), map_of("b", Level::kThread, {{"z", 8}}, 1)};
  // 100 threads in 4 warps: 25.
  auto made = make_trace(Dialect::kWarpDiv, {.grid = {3, 1, 1}, .block = {100, 1, 1}}, maps, value_of, 25);
  const auto trace = open_trace(request_for(folder.write("a.bin", made.bytes), maps));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_FALSE(trace->layout.has_wrong_offsets());
  EXPECT_EQ(expect_values(*trace, 0), 12u);
  EXPECT_EQ(expect_values(*trace, 1), 300u);
  // No number of warps that 100 threads have.
  made.bytes[32 + 4] = 20;
  EXPECT_FALSE(open_trace(request_for(folder.write("b.bin", made.bytes), maps)).ok());
}

TEST(Maps, MustBeThoseOfTheFile) {
  const testing::Folder folder;
  const auto made = make_trace(Dialect::kWarpDiv, {.grid = {4, 1, 1}}, two_maps(), value_of);
  const auto path = folder.write("a.bin", made.bytes);
  std::vector<Map> maps = two_maps();
  maps[1] = map_of("access", Level::kThread, {{"clock", 8}, {"addr", 8}}, 2);
  const auto fewer = open_trace(request_for(path, maps));
  ASSERT_FALSE(fewer.ok());
  EXPECT_NE(fewer.error().message.find("section[1].size gives 48 bytes a thread, map access has 32"), std::string::npos)
      << fewer.error().message;
  maps[1].level = Level::kWarp;
  EXPECT_NE(open_trace(request_for(path, maps))
                .error()
                .message.find("section[1].warpDiv is 1, and map access is of every warp"),
            std::string::npos);
  maps.pop_back();
  EXPECT_NE(open_trace(request_for(path, maps)).error().message.find("numProbes is 2, the probe file has 1 maps"),
            std::string::npos);
}

// 64-bit values are unsigned: addresses of the upper half are no negative numbers.
TEST(Values, AreUnsigned) {
  const testing::Folder folder;
  const std::vector<Map> maps = {map_of("a", Level::kThread, {{"addr", 8}}, 1)};
  const auto made = make_trace(Dialect::kWarpDiv, {}, maps, [](auto...) { return 0xffff800012345678u; });
  const auto trace = open_trace(request_for(folder.write("a.bin", made.bytes), maps));
  const auto columns = summarise(*trace, 0);
  EXPECT_EQ((*columns)[0].least, 0xffff800012345678u);
  EXPECT_EQ((*columns)[0].sum, 0xffff800012345678u * 32);
}

// A map whose slots hold more bytes than its records: each unit begins anew.
TEST(Records, ThatLeaveBytesOfAUnitOverAreFoundInEveryUnit) {
  const testing::Folder folder;
  std::vector<Map> maps = {map_of("a", Level::kThread, {{"x", 8}, {"y", 8}}, 2)};
  maps[0].unit_bytes = 40;
  const auto made = make_trace(Dialect::kTotal, {.grid = {5, 1, 1}}, maps, value_of);
  const auto trace = open_trace(request_for(folder.write("a.bin", made.bytes), maps));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(expect_values(*trace, 0), 320u);
}

// HIP's driver keeps 32 bits of a size.
TEST(HipTotal, OfMoreThan4GiBIsMeasuredByItsMap) {
  const std::vector<Map> maps = {map_of("a", Level::kThread, {{"x", 8}}, 1u << 20),
                                 map_of("b", Level::kThread, {{"y", 8}}, 1)};
  Table table{.header = {.grid = {10, 1, 1}, .block = {64, 1, 1}, .maps = 2}, .sections = {}};
  const uint64_t first = uint64_t{640} << 23, second = 640 * 8;
  table.sections = {{static_cast<uint32_t>(first) | uint64_t{0xdeadbeef} << 32, 64},
                    {second | uint64_t{0xdeadbeef} << 32, 64 + static_cast<uint32_t>(first)}};
  table.file_bytes = 64 + first + second;
  const auto layout = choose(fits_of(table, &maps), std::nullopt);
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->dialect, Dialect::kHipTotal);
  EXPECT_TRUE(layout->has_wrong_offsets());
  EXPECT_EQ(layout->sections[1].offset, 64 + first);
}

TEST(Dialects, ThatMeanTheSameRecordsAreNoQuestion) {
  const testing::Folder folder;
  const std::vector<Map> maps = {map_of("a", Level::kThread, {{"x", 8}}, 4)};
  const auto made = make_trace(Dialect::kUnit, {.block = {1, 1, 1}}, maps, value_of);
  const auto path = folder.write("a.bin", made.bytes);
  Request request = request_for(path, maps);
  EXPECT_TRUE(open_trace(request).ok());
  for (const Dialect dialect : {Dialect::kUnit, Dialect::kTotal}) {
    request.dialect = dialect;
    EXPECT_EQ(open_trace(request)->layout.dialect, dialect);
  }
  request.dialect = Dialect::kWarpDiv;
  const auto other = open_trace(request);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("section[0].warpDiv is 0"), std::string::npos);
}

// Without the maps, the level and the bytes of a unit are not in every dialect: two readings are two.
TEST(Dialects, ThatMeanDifferentRecordsAreAskedFor) {
  Layout one, other;
  one.sections = {{.unit_bytes = 8, .bytes = 64}};
  other.sections = {{.unit_bytes = 16, .bytes = 64}};
  const std::vector<Fit> fits = {{Dialect::kTotal, one, ""}, {Dialect::kUnit, other, ""}};
  const auto chosen = choose(fits, std::nullopt);
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().code, "TRACE_AMBIGUOUS");
  EXPECT_EQ(*choose(fits, Dialect::kUnit)->sections[0].unit_bytes, 16u);
}

TEST(Dialects, AreToldApartWithoutTheMaps) {
  for (const Dialect dialect : kDialects) {
    const auto made = make_trace(dialect, {.grid = {3, 1, 1}, .block = {128, 1, 1}}, two_maps(), value_of,
                                 dialect == Dialect::kHipTotal ? 64 : 32);
    const testing::Folder folder;
    const auto file = File::open(folder.write("a.bin", made.bytes));
    const auto layout = choose(fits_of(*read_table(**file), nullptr), std::nullopt);
    ASSERT_TRUE(layout.ok()) << layout.error().message;
    EXPECT_EQ(layout->dialect, dialect);
    EXPECT_EQ(layout->sections[1].offset, made.data_offsets[1]);
  }
}

}  // namespace
}  // namespace kernloop::trace
