// kernloop-trace: `inspect FILE` says how a trace file is to be read and why, `summary FILE` what its columns hold,
// `export FILE
// --format csv|jsonl|columns --output DIR` writes them, `block-sched`, `heat-map`, `totals` and `progress FILE --map
// NAME` analyse one map, `dmat FILE --map NAME --output FILE` counts accesses as Neutrino's dmat does, `dmat-info FILE`
// checks such a file. NDJSON on stdout, 64-bit values of a trace as hex strings; exit codes of
// docs/contributing/seams.md.

#include <cstdio>
#include <iostream>
#include <map>
#include <set>

#include "base/bytes.h"
#include "base/events/trace.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/option_table.h"
#include "trace/block_sched.h"
#include "trace/dmat.h"
#include "trace/export.h"
#include "trace/heat_map.h"
#include "trace/maps.h"
#include "trace/progress.h"
#include "trace/summary.h"
#include "trace/totals.h"

namespace {

using namespace kernloop;
using namespace kernloop::trace;

void print(const Json& event) {
  std::cout << ndjson(event) << '\n';
}

int fail(const Error& error) {
  print(error_event(error));
  return error.code == "IO_ERROR" || error.code == "DISK_FULL" ? kExitEnvironment : kExitBadInput;
}

// Options by their names, as they were given.
using Arguments = std::map<std::string, std::string>;

OptionTable table_of(Arguments& arguments) {
  const auto option = [&](const std::string& name, const char* value, OptionFacts facts = {}) -> Option {
    const auto take = [&arguments, name](const std::string& text) {
      arguments[name] = text;
      return true;
    };
    return {name, value, take, std::move(facts)};
  };
  return OptionTable(
      "kernloop-trace inspect|summary|export|block-sched|heat-map|totals|progress|dmat|dmat-info FILE",
      {option("--maps", "JSON"), option("--map", "NAME"), option("--dialect", "warp-div|total|unit|hip-total"),
       option("--offsets", "repaired|recorded"), option("--format", "csv|jsonl|columns"), option("--output", "PATH"),
       option("--skip-empty", "", {.with = "--format"}), option("--start", "FIELD"), option("--elapsed", "FIELD"),
       option("--processor", "FIELD"), option("--clock", "FIELD"), option("--address", "FIELD"),
       option("--page-bytes", "N"), option("--bins", "N"), option("--most-pages", "N")});
}

int usage(const std::string& what) {
  Arguments none;
  return fail(table_of(none).wrong(what));
}

std::string text_of(const Arguments& arguments, const std::string& name, const std::string& otherwise = "") {
  const auto found = arguments.find(name);
  return found == arguments.end() ? otherwise : found->second;
}

Result<uint64_t> count_of(const Arguments& arguments, const std::string& name, uint64_t otherwise, uint64_t most) {
  const std::string text = text_of(arguments, name, std::to_string(otherwise));
  const auto value = number_of<uint64_t>(text);
  if (!value || *value == 0 || *value > most) {
    return Error{"USAGE", name + " is " + text, "give a number from 1 to " + std::to_string(most)};
  }
  return *value;
}

Json section_event(const Section& section) {
  Json json = {{"bytes", section.bytes},
               {"offset", section.offset},
               {"recorded_offset", section.recorded_offset},
               {"units_written", section.units_written},
               {"units", section.units},
               {"is_ragged", section.is_ragged}};
  if (section.level) json["level"] = *section.level == Level::kWarp ? "warp" : "thread";
  if (section.unit_bytes) json["unit_bytes"] = *section.unit_bytes;
  return json;
}

Json trace_event(const Layout& layout, uint64_t file_bytes) {
  Json sections = Json::array();
  for (const Section& section : layout.sections) sections.push_back(section_event(section));
  return {{"event", TraceEvent::trace},
          {"dialect", name_of(layout.dialect)},
          {"grid", layout.header.grid},
          {"block", layout.header.block},
          {"shared_bytes", layout.header.shared_bytes},
          {"blocks", layout.blocks},
          {"threads", layout.threads},
          {"file_bytes", file_bytes},
          {"has_wrong_offsets", layout.has_wrong_offsets()},
          {"sections", sections}};
}

Result<Request> request_of(const std::string& file, const Arguments& arguments) {
  Request request{.path = file, .maps = {}};
  if (const auto named = arguments.find("--maps"); named != arguments.end()) {
    auto maps = parse_maps(named->second);
    if (!maps) return maps.error();
    request.maps = std::move(*maps);
  }
  if (const auto named = arguments.find("--dialect"); named != arguments.end()) {
    request.dialect = dialect_named(named->second);
    if (!request.dialect)
      return Error{"USAGE", "there is no dialect " + named->second, "warp-div, total, unit or hip-total"};
  }
  const std::string offsets = text_of(arguments, "--offsets");
  if (!offsets.empty() && offsets != "repaired" && offsets != "recorded") {
    return Error{"USAGE", "--offsets is " + offsets, "repaired or recorded"};
  }
  if (!offsets.empty()) request.offsets = offsets == "repaired" ? Offsets::kRepaired : Offsets::kRecorded;
  return request;
}

// Prints every dialect with its reasons, then the chosen one; without maps, too.
int inspect(const Request& request, bool has_maps) {
  const auto file = File::open(request.path);
  if (!file) return fail(file.error());
  const auto table = read_table(**file);
  if (!table) return fail(table.error());
  const std::vector<Fit> fits = fits_of(*table, has_maps ? &request.maps : nullptr);
  for (const Fit& fit : fits) {
    print({{"event", TraceEvent::fit},
           {"dialect", name_of(fit.dialect)},
           {"fits", fit.layout.has_value()},
           {"reason", fit.reason}});
  }
  const auto layout = choose(fits, request.dialect);
  if (!layout) return fail(layout.error());
  print(trace_event(*layout, (*file)->bytes()));
  return kExitPass;
}

int summary(const Trace& trace) {
  print(trace_event(trace.layout, trace.file->bytes()));
  for (size_t map = 0; map < trace.maps.size(); ++map) {
    const auto columns = summarise(trace, map);
    if (!columns) return fail(columns.error());
    Json json = Json::array();
    for (const ColumnSummary& column : *columns) {
      json.push_back({{"name", column.name},
                      {"sum", to_hex_number(column.sum)},
                      {"least", to_hex_number(column.least)},
                      {"most", to_hex_number(column.most)},
                      {"nonzero", column.nonzero}});
    }
    print({{"event", TraceEvent::map},
           {"name", trace.maps[map].name},
           {"rows", rows_of(trace, map).count()},
           {"columns", json}});
  }
  return kExitPass;
}

int export_all(const Trace& trace, const Arguments& arguments) {
  static const std::map<std::string, Format> kFormats = {
      {"csv", Format::kCsv}, {"jsonl", Format::kJsonLines}, {"columns", Format::kColumns}};
  const auto format = kFormats.find(text_of(arguments, "--format"));
  if (format == kFormats.end()) return usage("--format is csv, jsonl or columns");
  const std::string output = text_of(arguments, "--output");
  if (output.empty()) return usage("--output names a folder");
  for (size_t map = 0; map < trace.maps.size(); ++map) {
    const auto exported = export_map(trace, map, format->second, output, arguments.contains("--skip-empty"));
    if (!exported) return fail(exported.error());
    Json files = Json::array();
    for (const auto& path : exported->files) files.push_back(path.string());
    print({{"event", TraceEvent::exported},
           {"name", trace.maps[map].name},
           {"rows", exported->rows},
           {"skipped", exported->skipped},
           {"files", files}});
  }
  return kExitPass;
}

// The intervals as six u64 each: there may be millions.
Status write_intervals(const std::vector<BlockInterval>& intervals, const std::string& output) {
  std::FILE* file = std::fopen(output.c_str(), "wb");
  bool written = file != nullptr;
  for (const BlockInterval& interval : intervals) {
    const uint64_t words[5] = {interval.block, interval.processor, interval.lane, interval.start, interval.end};
    written = written && std::fwrite(words, sizeof words, 1, file) == 1;
  }
  if ((file && std::fclose(file) != 0) || !written)
    return Error{"IO_ERROR", output + " cannot be written", "name another file"};
  return Unit{};
}

int print_block_sched(const Trace& trace, size_t map, const Arguments& arguments) {
  const auto start = field_of(trace.maps[map], text_of(arguments, "--start", "start"));
  const auto elapsed = field_of(trace.maps[map], text_of(arguments, "--elapsed", "elapsed"));
  const auto processor = field_of(trace.maps[map], text_of(arguments, "--processor", "cuid"));
  for (const auto* field : {&start, &elapsed, &processor}) {
    if (!*field) return fail(field->error());
  }
  const auto schedule = block_schedule(trace, map, {*start, *elapsed, *processor});
  if (!schedule) return fail(schedule.error());
  for (const Processor& row : schedule->processors) {
    print({{"event", TraceEvent::processor},
           {"id", row.id},
           {"blocks", row.blocks},
           {"lanes", row.lanes},
           {"first", to_hex_number(row.first)},
           {"last", to_hex_number(row.last)},
           {"busy", to_hex_number(row.busy)},
           {"work", to_hex_number(row.work)},
           {"gaps", to_hex_number(row.gaps)}});
  }
  if (const std::string output = text_of(arguments, "--output"); !output.empty()) {
    if (const Status written = write_intervals(schedule->intervals, output); !written) return fail(written.error());
  }
  print({{"event", TraceEvent::block_sched},
         {"blocks", schedule->intervals.size()},
         {"unwritten_units", schedule->unwritten_units},
         {"blocks_on_several", schedule->blocks_on_several}});
  return kExitPass;
}

int print_heat_map(const Trace& trace, size_t map, const Arguments& arguments) {
  const auto clock = field_of(trace.maps[map], text_of(arguments, "--clock", "clock"));
  const auto address = field_of(trace.maps[map], text_of(arguments, "--address", "addr"));
  const auto page_bytes = count_of(arguments, "--page-bytes", kDmatPageBytes, uint64_t{1} << 40);
  const auto bins = count_of(arguments, "--bins", 128, 4096), most = count_of(arguments, "--most-pages", 4096, 65536);
  if (!clock || !address) return fail(clock ? address.error() : clock.error());
  for (const auto* number : {&page_bytes, &bins, &most}) {
    if (!*number) return fail(number->error());
  }
  if ((*page_bytes & (*page_bytes - 1)) != 0) return usage("--page-bytes is a power of two");
  const auto map_of_heat =
      heat_map(trace, map, {*clock, *address, *page_bytes, static_cast<uint32_t>(*bins), static_cast<uint32_t>(*most)});
  if (!map_of_heat) return fail(map_of_heat.error());
  for (const auto& [page, counts] : map_of_heat->pages) {
    print({{"event", TraceEvent::page}, {"address", to_hex_number(page)}, {"counts", counts}});
  }
  print({{"event", TraceEvent::heat_map},
         {"page_bytes", map_of_heat->page_bytes},
         {"pages", map_of_heat->pages.size()},
         {"first_clock", to_hex_number(map_of_heat->first_clock)},
         {"last_clock", to_hex_number(map_of_heat->last_clock)},
         {"interval", to_hex_number(map_of_heat->interval)},
         {"bins", *bins},
         {"accesses", map_of_heat->accesses},
         {"empty", map_of_heat->empty}});
  return kExitPass;
}

int print_totals(const Trace& trace, size_t map) {
  const auto columns = totals(trace, map);
  if (!columns) return fail(columns.error());
  Json json = Json::array();
  for (const Total& total : *columns) {
    json.push_back({{"name", total.name},
                    {"sum", to_hex_number(total.sum)},
                    {"is_beyond", total.is_beyond},
                    {"units", total.units},
                    {"least_block", to_hex_number(total.least_block)},
                    {"most_block", to_hex_number(total.most_block)}});
  }
  print({{"event", TraceEvent::totals}, {"blocks", trace.layout.blocks}, {"columns", json}});
  return kExitPass;
}

int print_progress(const Trace& trace, size_t map, const Arguments& arguments) {
  const auto clock = field_of(trace.maps[map], text_of(arguments, "--clock", "clock"));
  const auto bins = count_of(arguments, "--bins", 128, 4096);
  if (!clock || !bins) return fail(clock ? bins.error() : clock.error());
  const auto result = progress(trace, map, *clock, static_cast<uint32_t>(*bins));
  if (!result) return fail(result.error());
  print({{"event", TraceEvent::progress},
         {"first_clock", to_hex_number(result->first_clock)},
         {"last_clock", to_hex_number(result->last_clock)},
         {"interval", to_hex_number(result->interval)},
         {"samples", result->samples},
         {"units", result->units},
         {"full_units", result->full_units},
         {"unordered", result->unordered},
         {"least_samples", result->least_samples},
         {"most_samples", result->most_samples},
         {"samples_in", result->samples_in},
         {"active_in", result->active_in}});
  return kExitPass;
}

int print_dmat(const Result<Dmat>& dmat) {
  if (!dmat) return fail(dmat.error());
  print({{"event", TraceEvent::dmat},
         {"pages", dmat->pages},
         {"clocks", dmat->clocks},
         {"pairs", dmat->pairs},
         {"accesses", dmat->accesses},
         {"first_clock", to_hex_number(dmat->first_clock)},
         {"last_clock", to_hex_number(dmat->last_clock)},
         {"empty", dmat->empty}});
  return kExitPass;
}

int write_dmat_file(const Trace& trace, size_t map, const Arguments& arguments) {
  const auto clock = field_of(trace.maps[map], text_of(arguments, "--clock", "clock"));
  const auto address = field_of(trace.maps[map], text_of(arguments, "--address", "addr"));
  if (!clock || !address) return fail(clock ? address.error() : clock.error());
  const std::string output = text_of(arguments, "--output");
  if (output.empty()) return usage("--output names a file");
  return print_dmat(write_dmat(trace, map, *clock, *address, output));
}

int analyse(const std::string& verb, const Trace& trace, const Arguments& arguments) {
  if (!arguments.contains("--map")) return usage(verb + " needs --map");
  const auto map = map_of(trace.maps, text_of(arguments, "--map"));
  if (!map) return fail(map.error());
  if (verb == "block-sched") return print_block_sched(trace, *map, arguments);
  if (verb == "heat-map") return print_heat_map(trace, *map, arguments);
  if (verb == "totals") return print_totals(trace, *map);
  if (verb == "progress") return print_progress(trace, *map, arguments);
  return write_dmat_file(trace, *map, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> words(argv + 1, argv + argc);
  static const std::set<std::string> kVerbs = {"inspect", "summary",  "export", "block-sched", "heat-map",
                                               "totals",  "progress", "dmat",   "dmat-info"};
  if (words.size() < 2 || !kVerbs.contains(words[0])) return usage("no verb with a file");
  const std::string& verb = words[0];
  Arguments arguments;
  if (const auto given = table_of(arguments).parse(std::span(words).subspan(2)); !given) return fail(given.error());
  if (verb == "dmat-info") return print_dmat(read_dmat(words[1]));
  auto request = request_of(words[1], arguments);
  if (!request) return fail(request.error());
  if (verb == "inspect") return inspect(*request, arguments.contains("--maps"));
  if (!arguments.contains("--maps")) return usage(verb + " needs --maps");
  const auto trace = open_trace(std::move(*request));
  if (!trace) return fail(trace.error());
  if (verb == "summary") return summary(*trace);
  if (verb == "export") return export_all(*trace, arguments);
  return analyse(verb, *trace, arguments);
}
