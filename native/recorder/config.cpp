#include "recorder/config.h"

#include <set>
#include <utility>

#include "archive/files/file.h"
#include "recorder/deep_thread.h"

namespace kernloop::recorder {
namespace {

using archive::Json;

constexpr uint64_t kMaxConfigBytes = 16u << 20;
constexpr uint64_t kMaxThreads = 256;
constexpr uint64_t kMaxLimitMs = 24ull * 3600 * 1000;

// Reads fields of one object, and remembers the first thing that is wrong with them.
class Fields {
 public:
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail("", "must be an object");
  }

  std::string text(const char* name, const std::optional<std::string>& fallback = std::nullopt) {
    const Json* value = find(name, fallback.has_value());
    if (value == nullptr) return fallback.value_or("");
    if (!value->is_string()) return fail(name, "must be a string"), "";
    return value->get<std::string>();
  }
  uint64_t number(const char* name, uint64_t fallback, uint64_t min, uint64_t max) {
    const Json* value = find(name, true);
    if (value == nullptr) return fallback;
    if (!value->is_number_unsigned() || value->get<uint64_t>() < min || value->get<uint64_t>() > max) {
      return fail(name, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max)), fallback;
    }
    return value->get<uint64_t>();
  }
  Json object(const char* name) {
    const Json* value = find(name, true);
    if (value == nullptr) return Json::object();
    if (!value->is_object()) return fail(name, "must be an object"), Json::object();
    return *value;
  }
  bool flag(const char* name) {
    const Json* value = find(name, true);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return fail(name, "must be true or false"), false;
    return value->get<bool>();
  }
  // The first choice if it is left out.
  template <typename E>
  E choice(const char* name, const std::vector<std::pair<std::string, E>>& choices) {
    const std::string given = text(name, choices.front().first);
    std::string all;
    for (const auto& [word, value] : choices) {
      if (word == given) return value;
      all += (all.empty() ? "\"" : ", \"") + word + "\"";
    }
    return fail(name, "must be one of " + all), choices.front().second;
  }
  std::optional<std::filesystem::path> path(const char* name) {
    if (find(name, true) == nullptr) return std::nullopt;
    std::filesystem::path value = text(name);
    if (!value.is_absolute() || !value.has_filename()) fail(name, "must be an absolute path");
    return value;
  }
  void fail(const std::string& name, const std::string& what,
            const std::string& hint = "see kernloop-recorder in docs/contributing/seams.md") {
    if (!error_)
      error_ = Error{"CONFIG_INVALID", where_ + (name.empty() ? "" : ": \"" + name + "\"") + " " + what, hint};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const Json* find(const char* name, bool optional) {
    if (object_.is_object()) {
      const auto found = object_.find(name);
      if (found != object_.end() && !found->is_null()) return &*found;
      if (!optional) fail(name, "is missing");
    }
    return nullptr;
  }
  const Json& object_;
  const std::string where_;
  std::optional<Error> error_;
};

NamePattern parse_pattern(Fields& fields) {
  const bool whole = fields.flag("whole");
  auto pattern = NamePattern::compile(fields.text("match"), whole);
  if (pattern) return *pattern;
  fields.fail("match", pattern.error().message, pattern.error().hint);
  return {};
}

std::optional<protocol::OrdinalRange> parse_range(const Json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number_unsigned()) return std::nullopt;
  if (!json[1].is_number_unsigned() && !json[1].is_null()) return std::nullopt;
  return protocol::OrdinalRange{json[0].get<uint64_t>(), json[1].is_null() ? UINT64_MAX : json[1].get<uint64_t>()};
}

// [[3, 7], [9, null]]: ascending, apart from each other, the last one perhaps without an end.
bool parse_ordinals(const Json& json, std::vector<protocol::OrdinalRange>* ordinals) {
  if (!json.is_array() || json.empty() || json.size() > protocol::kMaxOrdinalRanges) return false;
  ordinals->clear();
  uint64_t before = 0;
  for (const Json& item : json) {
    const auto range = parse_range(item);
    if (!range || range->first <= before || range->last < range->first) return false;
    before = range->last;
    ordinals->push_back(*range);
  }
  return true;
}

void parse_request(const Json& json, Fields& fields, protocol::SelectionRequest* request) {
  const uint64_t ordinal = fields.number("ordinal", 1, 1, UINT64_MAX >> 1);
  request->ordinals = {{ordinal, ordinal}};
  if (json.contains("ordinals") && !parse_ordinals(json["ordinals"], &request->ordinals))
    fields.fail("ordinals",
                "must be ascending ranges [first, last] of numbers from 1 on, the last one of null at most");
  request->limit = fields.number("limit", 1, 0, UINT64_MAX >> 1);
  request->to_end = fields.flag("to_end");
  request->byte_budget = fields.number("byte_budget", 0, 0, UINT64_MAX >> 1);
  request->each = fields.choice<protocol::Each>("each", {{"dispatch", protocol::Each::kDispatch},
                                                         {"geometry", protocol::Each::kGeometry},
                                                         {"kernel", protocol::Each::kKernel}});
  request->scope = fields.choice<protocol::ScopeMode>(
      "scope", {{"reachable", protocol::ScopeMode::kReachable}, {"all", protocol::ScopeMode::kAll}});
}

Result<Selection> parse_selection(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Selection selection;
  selection.id = fields.text("id");
  selection.match = parse_pattern(fields);
  parse_request(json, fields, &selection.request);
  if (const Json after = fields.object("after"); !after.empty()) {
    Fields gate(after, where + ": after");
    selection.gate = parse_pattern(gate);
    selection.request.after = gate.number("count", 1, 1, UINT64_MAX >> 1);
    if (gate.error()) return *gate.error();
  }
  selection.output = fields.path("output");
  selection.outputs = fields.path("outputs");
  if (selection.output && (selection.outputs || selection.request.limit > 1))
    fields.fail("output", "is for one capture; \"outputs\" is for several");
  if (!selection.output && !selection.outputs && selection.request.limit != 0) fields.fail("output", "is missing");
  if (fields.error()) return *fields.error();
  return selection;
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& where) {
  auto json = parse_json(text, where);
  if (!json) return json.error();
  Fields fields(*json, where);
  Config config;
  const std::string mode = fields.text("mode");
  if (mode == "profile") {
    config.mode = protocol::Mode::kProfile;
  } else if (mode != "capture") {
    fields.fail("mode", "must be \"capture\" or \"profile\"");
  }
  config.dry_run = fields.flag("dry_run");
  if (const std::string store = fields.text("store", ""); !store.empty()) config.store = store;
  config.inline_limit_bytes = fields.number("inline_limit_bytes", config.inline_limit_bytes, 0, UINT64_MAX >> 1);
  config.pipeline_threads = static_cast<uint32_t>(fields.number("pipeline_threads", 0, 0, kMaxThreads));
  config.pipeline_bytes = fields.number("pipeline_bytes", config.pipeline_bytes, archive::kChunkBytes, UINT64_MAX >> 1);
  config.drain_limit_ms = fields.number("drain_limit_ms", config.drain_limit_ms, 1, kMaxLimitMs);
  config.run_limit_ms = fields.number("run_limit_ms", config.run_limit_ms, 1, kMaxLimitMs);
  config.tool_version = fields.text("tool_version");
  config.app = fields.object("app");
  config.device = fields.object("device");
  if (fields.error()) return *fields.error();

  const Json selections = json->value("selections", Json::array());
  if (!selections.is_array() || selections.size() > protocol::kMaxSelections) {
    fields.fail("selections", "must be an array of at most " + std::to_string(protocol::kMaxSelections));
    return *fields.error();
  }
  std::set<std::string> ids, outputs;
  for (size_t i = 0; i < selections.size(); ++i) {
    const std::string here = where + ": selections[" + std::to_string(i) + "]";
    auto selection = parse_selection(selections[i], here);
    if (!selection) return selection.error();
    if (!ids.insert(selection->id).second)
      return Error{"CONFIG_INVALID", here + ": the id \"" + selection->id + "\" is taken",
                   "give each selection its own id"};
    const auto& output = selection->output ? selection->output : selection->outputs;
    if (output && !outputs.insert(output->lexically_normal()).second) {
      return Error{"CONFIG_INVALID", here + ": the output " + output->string() + " is taken",
                   "give each selection its own output"};
    }
    config.selections.push_back(std::move(*selection));
  }
  return config;
}

Result<Config> read_config(const std::filesystem::path& path) {
  auto text = archive::read_text(path, kMaxConfigBytes);
  if (!text) return text.error();
  std::optional<Result<Config>> config;
  try {
    on_deep_thread([&] { config = parse_config(*text, path.string()); });
  } catch (const std::exception& error) {
    return Error{"RECORDER_FAILED", path.string() + " cannot be read: " + error.what(),
                 "give the recorder more memory, or raise its limit (ulimit -v)"};
  }
  return std::move(*config);
}

}  // namespace kernloop::recorder
