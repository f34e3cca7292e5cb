#include "base/json.h"

namespace kernloop {

namespace {

constexpr int kMaxDepth = 32;
// A value takes up to some 150 bytes, for any text: a manifest of 256 MiB of "null," would take gigabytes. As many
// chunks of 4 MiB are 16 TiB.
constexpr uint64_t kMaxValues = uint64_t{4} << 20;

struct Refused {
  std::string what;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& where) {
  uint64_t values = 0;
  const auto watch = [&](int depth, Json::parse_event_t event, Json&) {
    if (depth > kMaxDepth) throw Refused{"nests too deeply"};
    const bool ends = event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end;
    if (!ends && ++values > kMaxValues)
      throw Refused{"has more than the " + std::to_string(kMaxValues) + " values that are read"};
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Refused& refused) {
    return Error{"JSON_INVALID", where + " " + refused.what, "Kernloop did not write this file"};
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
