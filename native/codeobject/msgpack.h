// A bounded MessagePack reader: the input limits depth, element count and lengths; no memory is allocated by its claims
// alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace kernloop::codeobject::msgpack {

struct Value;
struct Entry;
using Array = std::vector<Value>;
using Map = std::vector<Entry>;

struct Value {
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Map> data;

  const Map* map() const { return std::get_if<Map>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  std::optional<uint64_t> number() const;         // non-negative integers
  const Value* find(std::string_view key) const;  // in a map with string keys; null otherwise
};

struct Entry {
  Value key, value;
};

// One value that fills the whole input.
Result<Value> parse(std::span<const uint8_t> bytes, const std::string& what);

}  // namespace kernloop::codeobject::msgpack
