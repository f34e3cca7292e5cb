#include "codeobject/msgpack.h"

#include <bit>
#include <cstring>

#include "base/malformed.h"

namespace kernloop::codeobject::msgpack {

namespace {

// Code-object metadata nests about six levels; the element limit keeps hostile input from costing more than its size
// suggests.
constexpr int kMaxDepth = 16;
constexpr size_t kMaxElements = 1u << 20;

class Parser {
 public:
  explicit Parser(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  Value value(int depth) {
    if (depth > kMaxDepth) throw Malformed{"nests too deeply"};
    if (++elements_ > kMaxElements) throw Malformed{"has too many elements"};
    const uint8_t tag = static_cast<uint8_t>(big_endian(1));
    if (tag <= 0x7f) return {uint64_t{tag}};
    if (tag <= 0x8f) return map(tag & 0x0f, depth);
    if (tag <= 0x9f) return array(tag & 0x0f, depth);
    if (tag <= 0xbf) return text(tag & 0x1f);
    if (tag >= 0xe0) return {static_cast<int64_t>(static_cast<int8_t>(tag))};
    switch (tag) {
      case 0xc0:
        return {};
      case 0xc2:
        return {false};
      case 0xc3:
        return {true};
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return text(big_endian(size_t{1} << (tag - 0xc4)));  // bin: kept as bytes
      case 0xca:
        return {static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(big_endian(4))))};
      case 0xcb:
        return {std::bit_cast<double>(big_endian(8))};
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return {big_endian(size_t{1} << (tag - 0xcc))};
      case 0xd0:
        return {static_cast<int64_t>(static_cast<int8_t>(big_endian(1)))};
      case 0xd1:
        return {static_cast<int64_t>(static_cast<int16_t>(big_endian(2)))};
      case 0xd2:
        return {static_cast<int64_t>(static_cast<int32_t>(big_endian(4)))};
      case 0xd3:
        return {static_cast<int64_t>(big_endian(8))};
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text(big_endian(size_t{1} << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return array(big_endian(tag == 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return map(big_endian(tag == 0xde ? 2 : 4), depth);
      default:
        throw Malformed{"has an element of unknown type"};
    }
  }

  bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const uint8_t> take(uint64_t count) {
    if (count > bytes_.size()) throw Malformed{"ends too early"};
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

  uint64_t big_endian(size_t count) {
    uint64_t value = 0;
    for (uint8_t byte : take(count)) value = value << 8 | byte;
    return value;
  }

  Value text(uint64_t size) {
    const auto bytes = take(size);
    return {std::string(bytes.begin(), bytes.end())};
  }

  // Every element takes at least a byte: a count beyond the input fails early, before memory is reserved for it.
  Value array(uint64_t count, int depth) {
    Array items;
    for (uint64_t i = 0; i < count; ++i) items.push_back(value(depth + 1));
    return {std::move(items)};
  }

  Value map(uint64_t count, int depth) {
    Map items;
    for (uint64_t i = 0; i < count; ++i) {
      Value key = value(depth + 1);
      Value item = value(depth + 1);
      items.push_back({std::move(key), std::move(item)});
    }
    return {std::move(items)};
  }

  std::span<const uint8_t> bytes_;
  size_t elements_ = 0;
};

}  // namespace

std::optional<uint64_t> Value::number() const {
  if (const auto* value = std::get_if<uint64_t>(&data)) return *value;
  if (const auto* value = std::get_if<int64_t>(&data); value && *value >= 0) return static_cast<uint64_t>(*value);
  return std::nullopt;
}

const Value* Value::find(std::string_view key) const {
  const Map* items = map();
  if (!items) return nullptr;
  for (const auto& [name, value] : *items) {
    if (name.text() && *name.text() == key) return &value;
  }
  return nullptr;
}

Result<Value> parse(std::span<const uint8_t> bytes, const std::string& what) {
  try {
    Parser parser(bytes);
    Value value = parser.value(0);
    if (!parser.at_end()) throw Malformed{"goes on after its end"};
    return value;
  } catch (const Malformed& problem) {
    return Error{"CODE_OBJECT_INVALID", what + " " + problem.why,
                 "give a complete code object, as the compiler wrote it"};
  }
}

}  // namespace kernloop::codeobject::msgpack
