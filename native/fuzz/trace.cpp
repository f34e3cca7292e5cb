// Trace files: an opened file has all its rows inside the file, one by one, in both ways of reading their offsets.
#include "trace/block_sched.h"
#include "trace/dmat.h"
#include "trace/heat_map.h"
#include "trace/progress.h"
#include "trace/summary.h"
#include "trace/test/trace_maker.h"
#include "trace/totals.h"

#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

namespace made = trace::testing;
using trace::Level;
using trace::Map;

// The first byte of an input says which probe file it is read by.
std::vector<Map> maps_of(uint8_t which) {
  std::vector<Map> maps = {made::map_of("sched", Level::kWarp, {{"start", 8}, {"elapsed", 4}, {"cuid", 4}}, 1)};
  if (which & 1) maps.push_back(made::map_of("count", Level::kThread, {{"bytes", 4}, {"more", 4}}, 1));
  if (which & 2) maps.push_back(made::map_of("DMAT", Level::kThread, {{"clock", 8}, {"addr", 8}}, 2));
  if (which & 4) maps.back().unit_bytes.reset();
  return maps;
}

void read_all(const trace::Trace& opened) {
  for (size_t map = 0; map < opened.maps.size(); ++map) {
    const trace::Rows rows = trace::rows_of(opened, map);
    uint64_t sum = 0, seen = 0;
    const auto& field = opened.maps[map].fields[0];
    const Status scanned = trace::scan(opened, map, [&](const trace::Run& run) -> Status {
      require(run.row == seen, "rows are counted one by one");
      for (uint64_t i = 0; i < run.count; ++i) sum += trace::value_at(run.bytes + i * run.stride, field);
      seen += run.count;
      return Unit{};
    });
    require(scanned.ok() && seen == rows.count(), "what opens is read to its end");
    require(seen * opened.maps[map].record_bytes() <= opened.file->bytes(), "rows are no more than the file holds");
    const auto columns = trace::summarise(opened, map);
    require(columns.ok() && (*columns)[0].sum == sum, "the summary is that of the rows");
    const auto counted = trace::totals(opened, map);
    require(counted.ok() && (*counted)[0].sum == sum, "the totals are those of the rows");
    if (opened.maps[map].fields.size() == 3) (void)trace::block_schedule(opened, map, {0, 1, 2});
    (void)trace::progress(opened, map, 0, 4);
    const size_t address = opened.maps[map].fields.size() - 1;
    require(trace::heat_map(opened, map, {.clock = 0, .address = address, .bins = 4, .most_pages = 8}).ok(),
            "a heat map is drawn");
  }
}

void read_trace(Bytes bytes) {
  static const ScratchFolder folder;
  if (bytes.empty()) return;
  const auto path = folder.write("trace.bin", bytes.subspan(1));
  for (const trace::Offsets offsets : {trace::Offsets::kUnsaid, trace::Offsets::kRepaired, trace::Offsets::kRecorded}) {
    const auto opened = trace::open_trace({.path = path, .maps = maps_of(bytes[0]), .dialect = {}, .offsets = offsets});
    if (opened) read_all(*opened);
  }
  const auto file = trace::File::open(path);
  require(file.ok(), "the file opens");
  if (const auto table = trace::read_table(**file)) (void)trace::choose(trace::fits_of(*table, nullptr), std::nullopt);
}

std::vector<Input> trace_seeds() {
  std::vector<Input> seeds;
  for (const trace::Dialect dialect : trace::kDialects) {
    for (const uint32_t threads : {32u, 50u}) {
      for (uint8_t which = 0; which < 4; ++which) {
        const auto file =
            made::make_trace(dialect, {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, maps_of(which), made::value_of);
        for (const uint8_t flag : {uint8_t{0}, uint8_t{4}}) {
          Input seed = {static_cast<uint8_t>(which | flag)};
          seed.insert(seed.end(), file.bytes.begin(), file.bytes.end());
          seeds.push_back(std::move(seed));
        }
      }
    }
  }
  return seeds;
}

void read_dmat_file(Bytes bytes) {
  static const ScratchFolder folder;
  const auto dmat = trace::read_dmat(folder.write("trace.dmat", bytes));
  if (dmat)
    require(16 + 8 * dmat->pages + 16 * dmat->clocks + 12 * dmat->pairs == bytes.size(), "every byte was counted");
}

std::vector<Input> dmat_seeds() {
  const ScratchFolder folder;
  const std::vector<Map> maps = {made::map_of("DMAT", Level::kThread, {{"clock", 8}, {"addr", 8}}, 2)};
  const auto few = [](size_t, uint64_t, uint64_t unit, uint64_t, size_t field) {
    return field == 0 ? unit % 3 + 1 : unit << 16;
  };
  const auto file = made::make_trace(trace::Dialect::kWarpDiv, {.block = {8, 1, 1}}, maps, few);
  const auto opened = trace::open_trace({.path = folder.write("a.bin", file.bytes), .maps = maps, .dialect = {}});
  require(opened.ok() && trace::write_dmat(*opened, 0, 0, 1, folder.path() / "a.dmat").ok(), "a .dmat is written");
  return {file_bytes(folder.path() / "a.dmat")};
}

const Registration kTrace({"trace", read_trace, trace_seeds});
const Registration kDmat({"dmat", read_dmat_file, dmat_seeds});

}  // namespace
}  // namespace kernloop::fuzz
