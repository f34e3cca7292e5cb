// kernloop-pgo: profiles of device code. One JSON object a line on stdout; exit codes of docs/contributing/seams.md.
// `convert` makes profiles from variables read back from a device, `merge` adds up profiles of any number of runs,
// `show` prints one.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>

#include "base/exit_code.h"
#include "base/json.h"
#include "pgo/format/files.h"
#include "pgo/format/merge.h"
#include "pgo/format/write.h"

namespace {

using namespace kernloop;
using namespace kernloop::pgo;
namespace fs = std::filesystem;

constexpr const char* kUsage =
    "kernloop-pgo convert --input FOLDER --output BASE.profraw | merge (--input FILE | --weighted-input N,FILE)… "
    "--output FILE.proftext [--waves FILE.waves.json] [--arch ARCH] [--rename FROM=TO]… [--mixed-sampling] "
    "[--write-prev-version] | show --input FILE…";

int print(const Json& event) {
  std::cout << ndjson(event) << std::endl;
  return event.at("event") == "error" ? kExitBadInput : kExitPass;
}

int fail(const Error& error) {
  return print(error_event(error));
}

int usage(const std::string& what) {
  return fail({"USAGE", what, kUsage});
}

struct Arguments {
  std::multimap<std::string, std::string> values;
  std::vector<std::pair<uint64_t, std::string>> inputs;  // in order, with their weights

  std::string one(const char* name) const {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  }
  bool has(const char* name) const { return values.contains(name); }
};

// Parses the arguments; returns an error message if they are wrong.
std::optional<std::string> parse(int argc, char** argv, const std::map<std::string, bool>& known,
                                 Arguments& arguments) {
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    const auto option = known.find(name);
    if (option == known.end()) return "unknown option " + name;
    if (!option->second) {
      arguments.values.emplace(name, "");
      continue;
    }
    if (++i == argc) return name + " needs a value";
    std::string value = argv[i];
    uint64_t weight = 1;
    if (name == "--weighted-input") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), weight);
      if (error != std::errc() || *end != ',' || weight == 0) return "--weighted-input needs N,FILE with N from 1 on";
      value.erase(0, static_cast<size_t>(end - value.data()) + 1);
    }
    if (name.ends_with("input")) arguments.inputs.emplace_back(weight, value);
    arguments.values.emplace(name, value);
  }
  if (arguments.inputs.empty()) return "--input is missing";
  return std::nullopt;
}

int convert(const Arguments& arguments) {
  const fs::path folder = arguments.inputs[0].second, output = arguments.one("--output");
  if (arguments.inputs.size() != 1) return usage("convert reads one folder");
  if (output.empty()) return usage("--output is missing");
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
    print({{"event", "converted"},
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
  const fs::path output = arguments.one("--output"), waves = arguments.one("--waves");
  if (output.empty()) return usage("--output is missing");
  // The version before the RFC's has no room for uniformity: it is left out there.
  const bool without_uniformity = arguments.has("--write-prev-version");
  if (without_uniformity && !waves.empty())
    return usage("--write-prev-version writes no uniformity: leave --waves out");
  MergeOptions options;
  options.arch = arguments.one("--arch");
  options.mixed_sampling = arguments.has("--mixed-sampling");
  for (auto [at, end] = arguments.values.equal_range("--rename"); at != end; ++at) {
    const size_t equals = at->second.find('=');
    if (equals == std::string::npos || equals == 0) return usage("--rename needs FROM=TO");
    options.renames.push_back({at->second.substr(0, equals), at->second.substr(equals + 1)});
  }
  Merger merger(options);
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
    print({{"event", "note"}, {"code", note.code}, {"text", note.text}});
  }
  const auto text = write_text(profile);
  if (!text) return fail(text.error());
  const auto bytes_of = [](const std::string& from) {
    return Bytes(reinterpret_cast<const uint8_t*>(from.data()), from.size());
  };
  if (auto done = write_file(output, bytes_of(*text)); !done) return fail(done.error());
  uint64_t counters = 0;
  for (const FunctionProfile& function : profile.functions) counters += function.counters.size();
  Json event = {{"event", "merged"},
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
  for (const Merger::Note& note : merger.notes()) print({{"event", "note"}, {"code", note.code}, {"text", note.text}});
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
    print({{"event", "function"},
           {"name", function.name},
           {"hash", hash},
           {"pattern", function.pattern},
           {"counters", counters}});
  }
  return print({{"event", "shown"},
                {"functions", profile.functions.size()},
                {"arch", profile.arch},
                {"wave_size", profile.wave_size},
                {"sampling", to_text(profile.sampling)}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  const std::map<std::string, std::map<std::string, bool>> verbs = {
      {"convert", {{"--input", true}, {"--output", true}}},
      {"merge",
       {{"--input", true},
        {"--weighted-input", true},
        {"--output", true},
        {"--waves", true},
        {"--arch", true},
        {"--rename", true},
        {"--mixed-sampling", false},
        {"--write-prev-version", false}}},
      {"show", {{"--input", true}}}};
  const auto known = verbs.find(verb);
  if (known == verbs.end()) return usage(verb.empty() ? "no verb: convert, merge or show" : "unknown verb " + verb);
  Arguments arguments;
  if (const auto wrong = parse(argc, argv, known->second, arguments)) return usage(*wrong);
  if (verb == "convert") return convert(arguments);
  return verb == "merge" ? merge(arguments) : show(arguments);
}
