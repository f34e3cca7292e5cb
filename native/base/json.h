// JSON text in and out. Compiled once: instantiating these functions takes a second or two per file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kernloop {

using Json = nlohmann::json;  // sorts its keys, so equal values are equal texts

// JSON_INVALID, which names `where`, also for nesting deeper than 32.
Result<Json> parse_json(std::string_view text, const std::string& where);

// On one line, or with an indent. Names of files and kernels may hold bytes that are not UTF-8: they are replaced.
std::string json_text(const Json& json, int indent = -1);

// The results of programs: one JSON object a line, with an `event`; an error is the last one. Without the end of the
// line.
inline std::string ndjson(const Json& event) {
  return json_text(event);
}
Json error_event(const Error& error);

}  // namespace kernloop
