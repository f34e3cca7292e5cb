#include "recorder/config.h"

#include <set>

#include "archive/file.h"

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

  std::string text(const char* name, std::optional<std::string> fallback = std::nullopt) {
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
  void fail(const std::string& name, const std::string& what) {
    if (!error_)
      error_ = Error{"CONFIG_INVALID", where_ + (name.empty() ? "" : ": \"" + name + "\"") + " " + what,
                     "see kernloop-recorder in docs/contributing/seams.md"};
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

Result<Selection> parse_selection(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Selection selection;
  selection.id = fields.text("id");
  selection.match_text = fields.text("match");
  selection.ordinal = fields.number("ordinal", 1, 1, UINT64_MAX >> 1);
  selection.byte_budget = fields.number("byte_budget", 0, 0, UINT64_MAX >> 1);
  selection.output = fields.text("output");
  const std::string scope = fields.text("scope", "reachable");
  if (scope == "all") {
    selection.scope = capture::ScopeMode::kAll;
  } else if (scope != "reachable") {
    fields.fail("scope", "must be \"reachable\" or \"all\"");
  }
  if (!selection.output.is_absolute() || !selection.output.has_filename())
    fields.fail("output", "must be an absolute path");
  try {
    selection.match = std::regex(selection.match_text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    fields.fail("match", std::string("is no ECMAScript regular expression: ") + error.what());
  }
  if (fields.error()) return *fields.error();
  return selection;
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& where) {
  auto json = archive::parse_json(text, where);
  if (!json) return json.error();
  Fields fields(*json, where);
  Config config;
  const std::string mode = fields.text("mode");
  if (mode == "profile") {
    config.mode = capture::Mode::kProfile;
  } else if (mode != "capture") {
    fields.fail("mode", "must be \"capture\" or \"profile\"");
  }
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
  if (!selections.is_array() || selections.size() > capture::kMaxSelections) {
    fields.fail("selections", "must be an array of at most " + std::to_string(capture::kMaxSelections));
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
    if (!outputs.insert(selection->output.lexically_normal()).second) {
      return Error{"CONFIG_INVALID", here + ": the output " + selection->output.string() + " is taken",
                   "give each selection its own output"};
    }
    config.selections.push_back(std::move(*selection));
  }
  return config;
}

Result<Config> read_config(const std::filesystem::path& path) {
  auto text = archive::read_text(path, kMaxConfigBytes);
  if (!text) return text.error();
  return parse_config(*text, path.string());
}

}  // namespace kernloop::recorder
