#include "codeobject/metadata_text.h"

#include <algorithm>
#include <set>
#include <span>

namespace kernloop::codeobject {

namespace {

constexpr uint64_t kMostExact = (uint64_t{1} << 53) - 1;
constexpr std::string_view kFirstOfKernel[] = {".symbol", ".args"};
constexpr std::string_view kFirstOfArgument[] = {".offset", ".size", ".value_kind"};

struct Unusual {};

// Length of the UTF-8 sequence that begins here; 0 if it is none (RFC 3629, section 4).
size_t sequence_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t index) { return static_cast<uint8_t>(text[at + index]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || size > text.size() - at) return 0;
  for (size_t index = 1; index < size; ++index) {
    if ((byte(index) & 0xc0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool is_outside = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return is_overlong || is_outside ? 0 : size;
}

std::string quoted(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  static constexpr std::string_view kEscaped = "\b\t\n\f\r\"\\", kLetters = "btnfr\"\\";
  std::string json = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t size = sequence_at(text, at);
    if (size == 0) throw Unusual{};
    const char first = text[at];
    if (const size_t escape = kEscaped.find(first); escape != kEscaped.npos) {
      json += {'\\', kLetters[escape]};
    } else if (static_cast<uint8_t>(first) < 0x20) {
      json += {'\\', 'u', '0', '0', kDigits[first >> 4], kDigits[first & 0xf]};
    } else {
      json += text.substr(at, size);
    }
    at += size;
  }
  return json + '"';
}

std::string json_of(const msgpack::Value& value, std::span<const std::string_view> first = {});

std::string json_of(const msgpack::Array& items, std::span<const std::string_view> first) {
  std::string json = "[";
  for (const msgpack::Value& item : items) json += (json.size() > 1 ? "," : "") + json_of(item, first);
  return json + "]";
}

// JavaScript moves names that are numbers to the front.
std::string json_of(const msgpack::Map& items, std::span<const std::string_view> first) {
  std::set<std::string_view> names;
  for (const msgpack::Entry& entry : items) {
    const std::string* name = entry.key.text();
    if (!name || !names.insert(*name).second || *name == "__proto__") throw Unusual{};
    if (!name->empty() && std::ranges::all_of(*name, [](char c) { return c >= '0' && c <= '9'; })) throw Unusual{};
  }
  std::string json = "{";
  const auto add = [&](std::string_view name, const msgpack::Value& value) {
    const bool are_arguments = !first.empty() && first.data() == kFirstOfKernel && name == ".args";
    json += (json.size() > 1 ? "," : "") + quoted(name) + ":" +
            json_of(value, are_arguments ? std::span<const std::string_view>(kFirstOfArgument)
                                         : std::span<const std::string_view>());
  };
  for (const std::string_view name : first) {
    const auto found = std::ranges::find_if(items, [&](const auto& entry) { return *entry.key.text() == name; });
    if (found == items.end() && name != ".args") throw Unusual{};
    add(name, found != items.end() ? found->value : msgpack::Value{msgpack::Array()});
  }
  for (const auto& [key, value] : items) {
    if (std::ranges::find(first, *key.text()) == first.end()) add(*key.text(), value);
  }
  return json + "}";
}

std::string json_of(const msgpack::Value& value, std::span<const std::string_view> first) {
  if (const auto* items = value.map()) return json_of(*items, first);
  if (const auto* items = value.array()) return json_of(*items, first);
  if (const auto* text = value.text()) return quoted(*text);
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto number = value.number(); number && *number <= kMostExact) return std::to_string(*number);
  if (const auto* number = std::get_if<int64_t>(&value.data);
      number && *number < 0 && *number >= -static_cast<int64_t>(kMostExact))
    return std::to_string(*number);
  if (std::holds_alternative<std::monostate>(value.data)) return "null";
  throw Unusual{};
}

}  // namespace

std::optional<std::string> metadata_text(const msgpack::Value& kernel) {
  try {
    if (!kernel.map()) return std::nullopt;
    return json_of(kernel, kFirstOfKernel);
  } catch (const Unusual&) {
    return std::nullopt;
  }
}

}  // namespace kernloop::codeobject
