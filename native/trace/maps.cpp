#include "trace/maps.h"

#include "base/json.h"

#include <algorithm>

namespace kernloop::trace {

namespace {

constexpr size_t kMostFields = 1024;

constexpr size_t kLongestName = 200;

// Names become names of files and of columns.
bool is_name(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && text.size() <= kLongestName && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); }) &&
         std::find(kOrigin.begin(), kOrigin.end(), text) == kOrigin.end();
}

Error maps_error(const std::string& what) {
  return {"TRACE_MAPS", what, "give the maps of the probe.toml that the trace was made with"};
}

Result<Map> parse_map(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) return maps_error("a map has no name");
  Map map{.name = json["name"].get<std::string>(), .fields = {}};
  const std::string where = "map " + map.name + ": ";
  if (!is_name(map.name)) return maps_error(where + "its name is none of a column");
  const std::string level = json.contains("level") && json["level"].is_string() ? json["level"].get<std::string>() : "";
  if (level != "thread" && level != "warp") return maps_error(where + "level is neither thread nor warp");
  map.level = level == "warp" ? Level::kWarp : Level::kThread;
  if (json.contains("unit_bytes") && !json["unit_bytes"].is_null()) {
    if (!json["unit_bytes"].is_number_unsigned()) return maps_error(where + "unit_bytes is no count");
    map.unit_bytes = json["unit_bytes"].get<uint64_t>();
  }
  if (!json.contains("fields") || !json["fields"].is_array() || json["fields"].empty()) {
    return maps_error(where + "it has no fields");
  }
  if (json["fields"].size() > kMostFields) return maps_error(where + "it has more than 1024 fields");
  for (const Json& field : json["fields"]) {
    const bool complete = field.is_object() && field.contains("name") && field["name"].is_string() &&
                          field.contains("bytes") && (field["bytes"] == 8 || field["bytes"] == 4) &&
                          field.contains("offset") && field["offset"].is_number_unsigned();
    if (!complete) return maps_error(where + "a field has no name, no offset, or is neither of 8 nor of 4 bytes");
    map.fields.push_back({field["name"].get<std::string>(), field["bytes"].get<uint32_t>(), 0});
    const auto offset = field["offset"].get<uint64_t>();
    if (offset > kMostFields * 8) return maps_error(where + "a field lies outside of its record");
    map.fields.back().offset = static_cast<uint32_t>(offset);
  }
  for (const Field& field : map.fields) {
    if (!is_name(field.name)) return maps_error(where + "field " + field.name + " has no name of a column");
    const auto is_same = [&](const Field& other) { return other.name == field.name; };
    if (std::count_if(map.fields.begin(), map.fields.end(), is_same) > 1) {
      return maps_error(where + "it has two fields " + field.name);
    }
    if (field.offset + field.bytes > map.record_bytes())
      return maps_error(where + field.name + " lies outside of its record");
  }
  return map;
}

}  // namespace

Result<std::vector<Map>> parse_maps(const std::string& text) {
  const auto json = parse_json(text, "the maps");
  if (!json || !json->is_array()) return maps_error("the maps are no JSON array");
  std::vector<Map> maps;
  for (const Json& entry : *json) {
    auto map = parse_map(entry);
    if (!map) return map.error();
    maps.push_back(std::move(*map));
  }
  return maps;
}

Result<size_t> field_of(const Map& map, const std::string& name) {
  std::string names;
  for (size_t i = 0; i < map.fields.size(); ++i) {
    if (map.fields[i].name == name) return i;
    names += (i ? ", " : "") + map.fields[i].name;
  }
  return Error{"TRACE_MAPS", "map " + map.name + " has no field " + name, "it has " + names};
}

Result<size_t> map_of(const std::vector<Map>& maps, const std::string& name) {
  std::string names;
  for (size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].name == name) return i;
    names += (i ? ", " : "") + maps[i].name;
  }
  return Error{"TRACE_MAPS", "there is no map " + name, "there are " + names};
}

}  // namespace kernloop::trace
