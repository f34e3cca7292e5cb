// The results of programs: one JSON object a line, with an `event`; an error is the last one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace kernloop {

template <typename Json = nlohmann::json>
Json error_event(const Error& error) {
  return {{"event", "error"}, {"code", error.code}, {"message", error.message}, {"hint", error.hint}};
}

// Without the end of the line. Names of files and kernels may hold bytes that are no UTF-8.
template <typename Json>
std::string ndjson(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kernloop
