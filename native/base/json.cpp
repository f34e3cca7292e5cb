#include "base/json.h"

namespace kernloop {

namespace {

constexpr int kMaxDepth = 32;

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& where) {
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) too_deep = true;
    return !too_deep;  // false discards: nothing deeper is built
  };
  try {
    Json json = Json::parse(text, watch);
    if (too_deep) return Error{"JSON_INVALID", where + " nests too deeply", "Kernloop did not write this file"};
    return json;
  } catch (const Json::exception& problem) {
    return Error{"JSON_INVALID", where + " is not valid JSON: " + problem.what(),
                 "the file was damaged or truncated: restore it, or capture again"};
  }
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json error_event(const Error& error) {
  return {{"event", "error"}, {"code", error.code}, {"message", error.message}, {"hint", error.hint}};
}

}  // namespace kernloop
