// JSON text in and out, bounded in depth, without exceptions at the edge.
#include <string>

#include "archive/manifest.h"

namespace kernloop::archive {

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

std::string to_text(const Json& json) {
  // Names come from outside (symbols, command lines): bytes that are not UTF-8 must not make writing fail.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kernloop::archive
