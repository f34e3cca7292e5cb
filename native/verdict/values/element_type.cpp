#include "verdict/values/element_type.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/numbers.h"

namespace kernloop::replay {

namespace {

struct TypeRow {
  const char* name;
  size_t size;
  bool is_float;
};
constexpr TypeRow kTypes[] = {
    {"f16", 2, true},    {"bf16", 2, true},   {"f32", 4, true},        {"f64", 8, true},
    {"i8", 1, false},    {"u8", 1, false},    {"i16", 2, false},       {"u16", 2, false},
    {"i32", 4, false},   {"u32", 4, false},   {"i64", 8, false},       {"u64", 8, false},
    {"f8e4m3", 1, true}, {"f8e5m2", 1, true}, {"f8e4m3fnuz", 1, true}, {"f8e5m2fnuz", 1, true}};

// C++ names after qualifiers are dropped; LP64, as on AMD GPUs.
constexpr std::pair<std::string_view, ElementType> kSpellings[] = {{"float", ElementType::kF32},
                                                                   {"double", ElementType::kF64},
                                                                   {"__half", ElementType::kF16},
                                                                   {"_Float16", ElementType::kF16},
                                                                   {"half", ElementType::kF16},
                                                                   {"c10::Half", ElementType::kF16},
                                                                   {"__nv_bfloat16", ElementType::kBf16},
                                                                   {"__hip_bfloat16", ElementType::kBf16},
                                                                   {"hip_bfloat16", ElementType::kBf16},
                                                                   {"__bf16", ElementType::kBf16},
                                                                   {"c10::BFloat16", ElementType::kBf16},
                                                                   {"signed char", ElementType::kI8},
                                                                   {"char", ElementType::kI8},
                                                                   {"unsigned char", ElementType::kU8},
                                                                   {"bool", ElementType::kU8},
                                                                   {"short", ElementType::kI16},
                                                                   {"unsigned short", ElementType::kU16},
                                                                   {"int", ElementType::kI32},
                                                                   {"unsigned int", ElementType::kU32},
                                                                   {"unsigned", ElementType::kU32},
                                                                   {"long", ElementType::kI64},
                                                                   {"unsigned long", ElementType::kU64},
                                                                   {"long long", ElementType::kI64},
                                                                   {"unsigned long long", ElementType::kU64},
                                                                   {"__nv_fp8_e4m3", ElementType::kF8E4M3},
                                                                   {"__nv_fp8_e5m2", ElementType::kF8E5M2},
                                                                   {"__hip_fp8_e4m3", ElementType::kF8E4M3},
                                                                   {"__hip_fp8_e5m2", ElementType::kF8E5M2},
                                                                   {"__hip_fp8_e4m3_fnuz", ElementType::kF8E4M3Fnuz},
                                                                   {"__hip_fp8_e5m2_fnuz", ElementType::kF8E5M2Fnuz},
                                                                   {"c10::Float8_e4m3fn", ElementType::kF8E4M3},
                                                                   {"c10::Float8_e5m2", ElementType::kF8E5M2},
                                                                   {"c10::Float8_e4m3fnuz", ElementType::kF8E4M3Fnuz},
                                                                   {"c10::Float8_e5m2fnuz", ElementType::kF8E5M2Fnuz}};

template <typename T>
Number load_as(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<Number>(value);
}

Number load_half(const uint8_t* bytes) {
  uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  Number magnitude;
  if (exponent == 31) {
    magnitude = fraction ? std::nanl("") : HUGE_VALL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<Number>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<Number>(1024 + fraction), exponent - 25);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

// The upper half of a float.
Number load_bfloat16(const uint8_t* bytes) {
  const uint8_t widened[] = {0, 0, bytes[0], bytes[1]};
  return load_as<float>(widened);
}

// Eight bits: a sign, an exponent of `8 - 1 - fraction_bits` bits, a fraction.
Number load_small(uint8_t bits, int fraction_bits, int bias) {
  const int exponent = (bits & 0x7f) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
  const Number magnitude =
      exponent == 0 ? std::ldexp(static_cast<Number>(fraction), 1 - bias - fraction_bits)
                    : std::ldexp(static_cast<Number>((1 << fraction_bits) + fraction), exponent - bias - fraction_bits);
  return bits & 0x80 ? -magnitude : magnitude;
}

// Open Compute Project, OFP8: E5M2 is a short IEEE number; E4M3 gives up infinities and all NaN but one for range.
Number load_e4m3(uint8_t bits) {
  return (bits & 0x7f) == 0x7f ? std::nanl("") : load_small(bits, 3, 7);
}
Number load_e5m2(uint8_t bits) {
  if ((bits & 0x7c) != 0x7c) return load_small(bits, 2, 15);
  if (bits & 3) return std::nanl("");
  return bits & 0x80 ? -HUGE_VALL : HUGE_VALL;
}

// MI300's format: the bias is one more, and the code of -0 is the one NaN.
Number load_fnuz(uint8_t bits, int fraction_bits, int bias) {
  return bits == 0x80 ? std::nanl("") : load_small(bits, fraction_bits, bias);
}

template <typename T>
uint64_t count_masked(Bytes elements, T all, T special) {
  uint64_t count = 0;
  for (size_t at = 0; at + sizeof(T) <= elements.size(); at += sizeof(T)) {
    T bits;
    std::memcpy(&bits, elements.data() + at, sizeof bits);
    count += (bits & all) == special;
  }
  return count;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void drop_word(std::string& text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
    const bool starts = at == 0 || text[at - 1] == ' ';
    const bool ends = at + word.size() == text.size() || text[at + word.size()] == ' ';
    if (starts && ends) {
      text.erase(at, word.size());
    } else {
      at += word.size();
    }
  }
}

}  // namespace

size_t size_of(ElementType type) {
  return kTypes[static_cast<size_t>(type)].size;
}
bool is_float(ElementType type) {
  return kTypes[static_cast<size_t>(type)].is_float;
}
const char* name_of(ElementType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

std::optional<ElementType> element_type_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (name == kTypes[i].name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

Number greatest_of(ElementType type) {
  const int bits = static_cast<int>(8 * size_of(type)) - (name_of(type)[0] == 'i' ? 1 : 0);
  return std::ldexp(1.0L, bits) - 1;
}
Number least_of(ElementType type) {
  return name_of(type)[0] == 'i' ? -greatest_of(type) - 1 : 0;
}

Number load_number(ElementType type, const uint8_t* bytes) {
  switch (type) {
    case ElementType::kF16:
      return load_half(bytes);
    case ElementType::kBf16:
      return load_bfloat16(bytes);
    case ElementType::kF32:
      return load_as<float>(bytes);
    case ElementType::kF64:
      return load_as<double>(bytes);
    case ElementType::kI8:
      return load_as<int8_t>(bytes);
    case ElementType::kU8:
      return load_as<uint8_t>(bytes);
    case ElementType::kI16:
      return load_as<int16_t>(bytes);
    case ElementType::kU16:
      return load_as<uint16_t>(bytes);
    case ElementType::kI32:
      return load_as<int32_t>(bytes);
    case ElementType::kU32:
      return load_as<uint32_t>(bytes);
    case ElementType::kI64:
      return load_as<int64_t>(bytes);
    case ElementType::kU64:
      return load_as<uint64_t>(bytes);
    case ElementType::kF8E4M3:
      return load_e4m3(*bytes);
    case ElementType::kF8E5M2:
      return load_e5m2(*bytes);
    case ElementType::kF8E4M3Fnuz:
      return load_fnuz(*bytes, 3, 8);
    case ElementType::kF8E5M2Fnuz:
      return load_fnuz(*bytes, 2, 16);
  }
  return std::nanl("");
}

bool is_finite(Number value) {
  return std::isfinite(value);
}

uint64_t count_special(ElementType type, Bytes elements) {
  switch (type) {
    case ElementType::kF16:
      return count_masked<uint16_t>(elements, 0x7c00, 0x7c00);
    case ElementType::kBf16:
      return count_masked<uint16_t>(elements, 0x7f80, 0x7f80);
    case ElementType::kF32:
      return count_masked<uint32_t>(elements, 0x7f800000u, 0x7f800000u);
    case ElementType::kF64:
      return count_masked<uint64_t>(elements, 0x7ff0000000000000u, 0x7ff0000000000000u);
    case ElementType::kF8E4M3:
      return count_masked<uint8_t>(elements, 0x7f, 0x7f);
    case ElementType::kF8E5M2:
      return count_masked<uint8_t>(elements, 0x7c, 0x7c);
    case ElementType::kF8E4M3Fnuz:
    case ElementType::kF8E5M2Fnuz:
      return count_masked<uint8_t>(elements, 0xff, 0x80);
    default:
      return 0;
  }
}

archive::Json value_to_json(ElementType type, Number value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return number_to_json(type, value);
}

archive::Json number_to_json(ElementType type, Number value) {
  if (is_float(type)) return static_cast<double>(value);
  constexpr Number kExact = 9007199254740992.0L;  // 2^53
  const bool exact = value <= kExact && value >= -kExact;
  if (value < 0)
    return exact ? archive::Json(static_cast<int64_t>(value))
                 : archive::Json(std::to_string(static_cast<int64_t>(value)));
  return exact ? archive::Json(static_cast<uint64_t>(value))
               : archive::Json(std::to_string(static_cast<uint64_t>(value)));
}

std::optional<Number> number_from_json(const archive::Json& json) {
  if (json.is_number_unsigned()) return static_cast<Number>(json.get<uint64_t>());
  if (json.is_number_integer()) return static_cast<Number>(json.get<int64_t>());
  if (json.is_number_float()) return static_cast<Number>(json.get<double>());
  if (!json.is_string()) return std::nullopt;
  const std::string& text = json.get_ref<const std::string&>();
  if (text.starts_with('-')) {
    const auto value = number_of<int64_t>(text);
    return value ? std::optional<Number>(*value) : std::nullopt;
  }
  const auto value = number_of<uint64_t>(text);
  return value ? std::optional<Number>(*value) : std::nullopt;
}

std::optional<ElementType> pointee_type(std::string_view pointer_type) {
  std::string text(trim(pointer_type));
  for (std::string_view word : {"__restrict__", "__restrict", "restrict", "const", "volatile"}) {
    if (text.size() > word.size() && text.ends_with(word))
      text = trim(std::string_view(text).substr(0, text.size() - word.size()));
  }
  if (!text.ends_with('*')) return std::nullopt;
  text.pop_back();
  for (std::string_view word : {"const", "volatile"}) drop_word(text, word);
  std::string_view bare = trim(text);
  if (bare.starts_with("std::")) bare.remove_prefix(5);
  for (const auto& [spelling, type] : kSpellings) {
    if (bare == spelling) return type;
  }
  return std::nullopt;
}

std::vector<std::string> parameter_types(std::string_view demangled) {
  // The parameter list is the last top-level parenthesis: names may hold others, as in "(anonymous namespace)::k(int)".
  if (const size_t clone = demangled.rfind(" [clone"); clone != demangled.npos) demangled = demangled.substr(0, clone);
  demangled = trim(demangled);
  if (!demangled.ends_with(')')) return {};
  int depth = 0;
  size_t open = demangled.size();
  while (open > 0) {
    const char c = demangled[--open];
    if (c == ')') ++depth;
    if (c == '(' && --depth == 0) break;
  }
  if (depth != 0) return {};
  const std::string_view list = demangled.substr(open + 1, demangled.size() - open - 2);
  std::vector<std::string> types;
  int nesting = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '<' || c == '[') ++nesting;
    if (c == ')' || c == '>' || c == ']') --nesting;
    if (c != ',' || (nesting != 0 && i < list.size())) continue;
    const std::string_view type = trim(list.substr(begin, i - begin));
    if (!type.empty()) types.emplace_back(type);
    begin = i + 1;
  }
  return types;
}

}  // namespace kernloop::replay
