// kernloop-pgo: profiles of device code. One JSON object a line on stdout; exit codes of docs/contributing/seams.md.
// `convert` makes profiles from variables read back from a device, `merge` adds up profiles of any number of runs,
// `show` prints one.
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>

#include "base/events/pgo.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/option_table.h"
#include "pgo/format/files.h"
#include "pgo/format/merge.h"
#include "pgo/format/write.h"

namespace {

using namespace kernloop;
using namespace kernloop::pgo;
namespace fs = std::filesystem;

int print(const Json& event) {
  std::cout << ndjson(event) << std::endl;
  return event.at("event") == "error" ? kExitBadInput : kExitPass;
}

int fail(const Error& error) {
  return print(error_event(error));
}

struct Input {
  uint64_t weight = 1;
  fs::path path;
};

struct Arguments {
  std::vector<Input> inputs;  // in order
  fs::path output, waves;
  MergeOptions merging;
  bool is_of_previous_version = false;
};

std::optional<Input> parse_input(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(Input{1, text});
}

// N,FILE
std::optional<Input> parse_weighted_input(const std::string& text) {
  const size_t comma = text.find(',');
  if (comma == text.npos) return std::nullopt;
  const auto weight = number_of<uint64_t>(std::string_view(text).substr(0, comma));
  if (!weight || *weight == 0) return std::nullopt;
  return Input{*weight, text.substr(comma + 1)};
}

// FROM=TO
std::optional<Rename> parse_rename(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) return std::nullopt;
  return Rename{text.substr(0, equals), text.substr(equals + 1)};
}

// By verb.
std::map<std::string, OptionTable> tables_of(Arguments& arguments) {
  const OptionFacts is_required = {.is_required = true};
  return {
      {"convert", OptionTable("kernloop-pgo convert",
                              {{"--input", "FOLDER", append_parsed(parse_input, arguments.inputs), is_required},
                               {"--output", "BASE.profraw", into(arguments.output), is_required}})},
      {"merge", OptionTable("kernloop-pgo merge",
                            {{"--input", "FILE", append_parsed(parse_input, arguments.inputs), {.is_repeated = true}},
                             {"--weighted-input",
                              "N,FILE",
                              append_parsed(parse_weighted_input, arguments.inputs),
                              {.is_repeated = true, .expected = "N,FILE with N from 1 on"}},
                             {"--output", "FILE.proftext", into(arguments.output), is_required},
                             {"--waves", "FILE.waves.json", into(arguments.waves)},
                             {"--arch", "ARCH", into(arguments.merging.arch)},
                             {"--rename",
                              "FROM=TO",
                              append_parsed(parse_rename, arguments.merging.renames),
                              {.is_repeated = true, .expected = "FROM=TO"}},
                             {"--mixed-sampling", "", set(arguments.merging.mixed_sampling)},
                             {"--write-prev-version", "", set(arguments.is_of_previous_version)}})},
      {"show", OptionTable("kernloop-pgo show", {{"--input",
                                                  "FILE",
                                                  append_parsed(parse_input, arguments.inputs),
                                                  {.is_required = true, .is_repeated = true}}})},
  };
}

int usage(const std::string& verb, const std::string& what) {
  Arguments none;
  return fail(tables_of(none).at(verb).wrong(what));
}

int convert(const Arguments& arguments) {
  const fs::path &folder = arguments.inputs[0].path, &output = arguments.output;
  if (arguments.inputs.size() != 1) return usage("convert", "convert reads one folder");
  const std::string prefix(image_parts()[0].prefix);
  std::vector<std::string> units;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".bin"))
      units.push_back(name.substr(prefix.size(), name.size() - prefix.size() - 4));
  }
  if (problem) return fail({"IO_ERROR", "cannot read " + folder.string() + ": " + problem.message(), "check the path"});
  if (units.empty()) {
    return fail({"PGO_NOT_INSTRUMENTED",
                 folder.string() + " holds no " + prefix + "*.bin: nothing was instrumented, or nothing read back",
                 "build the variant with the plugin and -kernloop-pgo=generate"});
  }
  std::sort(units.begin(), units.end());
  for (const std::string& cuid : units) {
    DeviceImage image;
    image.cuid = cuid;
    for (const ImagePart& part : image_parts()) {
      auto bytes = read_file(folder / (std::string(part.prefix) + cuid + ".bin"));
      if (!bytes) return fail(bytes.error());
      image.*part.bytes = std::move(*bytes);
    }
    const auto unit = read_device_image(image);
    if (!unit) return fail(unit.error());
    const auto written = write_unit(unit_path(output, *unit), *unit);
    if (!written) return fail(written.error());
    Json files = Json::array();
    for (const fs::path& file : *written) files.push_back(file.string());
    const uint64_t counters = unit->counters.size(), slots = counters * unit->slots;
    print({{"event", PgoEvent::converted},
           {"cuid", cuid},
           {"arch", unit->waves.arch},
           {"wave_size", unit->waves.wave_size},
           {"sampling", to_text(unit->waves.sampling)},
           {"functions", unit->records.size()},
           {"counters", counters},
           {"saturated", unit->saturated},
           {"text", "reduced " + std::to_string(slots) + " slots to " + std::to_string(counters) + " counters"},
           {"files", files}});
  }
  return kExitPass;
}

Result<Unit> read_into(Merger& merger, const Arguments& arguments) {
  for (const auto& [weight, file] : arguments.inputs) {
    const auto profiles = read_profiles(file);
    if (!profiles) return profiles.error();
    for (const Profile& profile : *profiles) {
      if (auto added = merger.add(profile, weight, file); !added) return added;
    }
  }
  return Unit{};
}

int merge(const Arguments& arguments) {
  const fs::path &output = arguments.output, &waves = arguments.waves;
  // The version before the RFC's has no room for uniformity: it is left out there.
  if (arguments.is_of_previous_version && !waves.empty())
    return usage("merge", "--write-prev-version writes no uniformity: leave --waves out");
  Merger merger(arguments.merging);
  if (auto read = read_into(merger, arguments); !read) return fail(read.error());
  const Profile profile = merger.result();
  if (profile.functions.empty()) {
    return fail({"PGO_PROFILE_EMPTY", "the inputs hold no function",
                 "nothing was instrumented, or no instrumented code was loaded: run the instrumented program again"});
  }
  const auto notes = merger.notes();
  bool mixed = false;
  for (const Merger::Note& note : notes) {
    mixed |= note.code == "PGO_SAMPLING_MIXED";
    print({{"event", PgoEvent::note}, {"code", note.code}, {"text", note.text}});
  }
  const auto text = write_text(profile);
  if (!text) return fail(text.error());
  const auto bytes_of = [](const std::string& from) {
    return Bytes(reinterpret_cast<const uint8_t*>(from.data()), from.size());
  };
  if (auto done = write_file(output, bytes_of(*text)); !done) return fail(done.error());
  uint64_t counters = 0;
  for (const FunctionProfile& function : profile.functions) counters += function.counters.size();
  Json event = {{"event", PgoEvent::merged},
                {"inputs", arguments.inputs.size()},
                {"functions", profile.functions.size()},
                {"counters", counters},
                {"arch", profile.arch},
                {"output", output.string()}};
  if (!waves.empty()) {
    const std::string json = write_waves_json(profile, mixed ? "mixed" : to_text(profile.sampling));
    if (auto done = write_file(waves, bytes_of(json)); !done) return fail(done.error());
    event["waves"] = waves.string();
  }
  return print(event);
}

int show(const Arguments& arguments) {
  Merger merger({});
  if (auto read = read_into(merger, arguments); !read) return fail(read.error());
  for (const Merger::Note& note : merger.notes())
    print({{"event", PgoEvent::note}, {"code", note.code}, {"text", note.text}});
  const Profile profile = merger.result();
  for (const FunctionProfile& function : profile.functions) {
    Json counters = Json::array();
    for (size_t i = 0; i < function.counters.size(); ++i) {
      Json counter = {{"lanes", function.counters[i]}};
      if (!function.uniform.empty()) {
        counter["uniform"] = function.uniform[i];
        if (function.counters[i] > 0)
          counter["uniform_share"] =
              static_cast<double>(function.uniform[i]) / static_cast<double>(function.counters[i]);
      }
      if (!function.counter_class.empty()) {
        counter["class"] = function.counter_class[i];
        counter["waves"] = function.classes.at(function.counter_class[i]).waves;
      }
      counters.push_back(std::move(counter));
    }
    char hash[24];
    std::snprintf(hash, sizeof hash, "0x%llx", static_cast<unsigned long long>(function.hash));
    print({{"event", PgoEvent::function},
           {"name", function.name},
           {"hash", hash},
           {"pattern", function.pattern},
           {"counters", counters}});
  }
  return print({{"event", PgoEvent::shown},
                {"functions", profile.functions.size()},
                {"arch", profile.arch},
                {"wave_size", profile.wave_size},
                {"sampling", to_text(profile.sampling)}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  Arguments arguments;
  const std::map<std::string, OptionTable> tables = tables_of(arguments);
  const auto table = words.empty() ? tables.end() : tables.find(words[0]);
  if (table == tables.end()) {
    std::string all;
    for (const auto& [verb, its] : tables) all += (all.empty() ? "" : " | ") + its.usage();
    return fail({"USAGE", words.empty() ? "no verb: convert, merge or show" : "unknown verb " + words[0], all});
  }
  const auto given = table->second.parse(std::span(words).subspan(1));
  if (!given) return fail(given.error());
  if (arguments.inputs.empty()) return fail(table->second.wrong("--input is missing"));
  if (const auto missing = table->second.missing(*given)) return fail(*missing);
  const std::string& verb = words[0];
  if (verb == "convert") return convert(arguments);
  return verb == "merge" ? merge(arguments) : show(arguments);
}
