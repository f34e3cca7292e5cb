#include "pgo/format/write.h"

#include <nlohmann/json.hpp>

#include "base/bytes.h"

namespace kernloop::pgo {

namespace {

nlohmann::ordered_json hex_numbers(const std::vector<uint64_t>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const uint64_t value : values) list.push_back(to_hex_number(value));
  return list;
}

// The text format has no escapes for names that would not be read back as one.
bool is_writable(const std::string& name) {
  if (name.empty() || name[0] == '#' || name[0] == ':' || name.front() == ' ' || name.back() == ' ') return false;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return false;
  }
  return true;
}

}  // namespace

Result<std::string> write_text(const Profile& profile) {
  const Variant& variant = profile.variant;
  std::string text;
  if (variant.context_sensitive)
    text += "# CSIR level Instrumentation Flag\n:csir\n";
  else
    text += variant.ir ? "# IR level Instrumentation Flag\n:ir\n" : ":fe\n";
  if (variant.entry_first) text += "# Always instrument the function entry block\n:entry_first\n";
  if (variant.loop_entries) text += "# Always instrument the loop entry blocks\n:instrument_loop_entries\n";
  for (const FunctionProfile& function : profile.functions) {
    if (!is_writable(function.name)) {
      return Error{"PGO_PROFILE_INVALID",
                   "the name of the function with hash " + to_hex_number(function.hash) + " cannot be written as text",
                   "the profile was damaged: run the program again"};
    }
    text += function.name + "\n# Func Hash:\n" + std::to_string(function.hash) + "\n# Num Counters:\n" +
            std::to_string(function.counters.size()) + "\n# Counter Values:\n";
    for (const uint64_t counter : function.counters) text += std::to_string(counter) + "\n";
    text += "\n";
  }
  return text;
}

std::string write_waves_json(const Profile& profile, const std::string& sampling) {
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const FunctionProfile& function : profile.functions) {
    auto classes = nlohmann::ordered_json::array();
    for (const WaveClass& one : function.classes) {
      nlohmann::ordered_json json = {{"waves", to_hex_number(one.waves)},
                                     {"uniform_lanes", to_hex_number(one.uniform_lanes)},
                                     {"static_uniform", one.static_uniform}};
      if (one.counter != kNoCounter) json["counter"] = one.counter;
      classes.push_back(std::move(json));
    }
    functions.push_back({{"name", function.name},
                         {"hash", to_hex_number(function.hash)},
                         {"counters", hex_numbers(function.counters)},
                         {"uniform", hex_numbers(function.uniform)},
                         {"pattern", function.pattern},
                         {"classes", std::move(classes)},
                         {"counter_class", function.counter_class}});
  }
  const nlohmann::ordered_json waves = {{"schema", kWavesSchema},
                                        {"arch", profile.arch},
                                        {"wave_size", profile.wave_size},
                                        {"sampling", sampling},
                                        {"uniform_rule", to_text(profile.uniform_rule)},
                                        {"functions", std::move(functions)}};
  return waves.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kernloop::pgo
