// A message is a list of its fields, from which it is encoded, decoded and checked: KERNLOOP_FIELDS in the struct names
// every member once, in the order of the wire. Bounds are in the list; a struct whose list lacks a member does not
// compile.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/wire.h"

namespace kernloop::protocol {

using Encoded = std::vector<uint8_t>;

inline constexpr uint32_t kProtocol = 3;
inline constexpr uint32_t kHelloMagic = 0x4c4b4148;  // greetings begin with it and the number of the protocol
inline constexpr uint32_t kMaxTextBytes = 4096;      // for texts without a bound in their list

// A field with its largest number of elements (for a text: bytes); for a list of texts, `each` bounds each of them.
template <typename Value, uint32_t kMost, uint32_t kEach>
struct AtMost {
  Value& value;
};
template <uint32_t kMost, uint32_t kEach = kMaxTextBytes, typename Value>
constexpr AtMost<Value, kMost, kEach> at_most(Value& value) {
  return {value};
}

template <typename... Field>
constexpr std::tuple<Field...> listed(Field&&... field) {
  return std::tuple<Field...>(std::forward<Field>(field)...);
}

#define KERNLOOP_FIELDS(...)                          \
  auto fields() {                                     \
    return ::kernloop::protocol::listed(__VA_ARGS__); \
  }                                                   \
  auto fields() const {                               \
    return ::kernloop::protocol::listed(__VA_ARGS__); \
  }

template <typename T>
concept HasFields = requires(T& value) {
  value.fields();
};

namespace detail {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Converts to any type; to an optional through its value.
struct Anything {
  template <typename T>
  requires(!kIsOptional<T>) operator T() const;
};

template <typename T, typename... Given>
constexpr size_t members() {
  if constexpr (requires { T{std::declval<Given>()..., Anything{}}; })
    return members<T, Given..., Anything>();
  else
    return sizeof...(Given);
}

}  // namespace detail

// Checks that every member is in the list: it is as long as the struct's initializer.
template <typename T>
inline constexpr bool kListsAll = std::tuple_size_v<decltype(std::declval<T&>().fields())> == detail::members<T>();

template <typename T>
void put(WireWriter& out, const T& value) {
  if constexpr (std::integral<T> || std::is_enum_v<T>) {
    out.put(value);
  } else if constexpr (std::same_as<T, double>) {
    out.put(std::bit_cast<uint64_t>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    out.put(std::string_view(value));
  } else {
    static_assert(HasFields<T> && kListsAll<T>, "KERNLOOP_FIELDS names every member");
    std::apply([&](const auto&... field) { (put(out, field), ...); }, value.fields());
  }
}
template <typename T, size_t count>
void put(WireWriter& out, const std::array<T, count>& values) {
  for (const T& value : values) put(out, value);
}
template <typename T>
void put(WireWriter& out, const std::optional<T>& value) {
  put(out, value.has_value());
  put(out, value.value_or(T{}));
}
template <typename T>
void put(WireWriter& out, const std::vector<T>& values) {
  if constexpr (std::same_as<T, uint8_t>) {
    out.put(std::span<const uint8_t>(values));
  } else {
    out.put(static_cast<uint32_t>(values.size()));
    for (const T& value : values) put(out, value);
  }
}
template <typename Value, uint32_t kMost, uint32_t kEach>
void put(WireWriter& out, const AtMost<Value, kMost, kEach>& bounded) {
  put(out, bounded.value);
}

// An invalid value makes `in` fail: an enum is only ever one of its values (last_of), a bool 0 or 1.
template <typename T>
void get(WireReader& in, T& value) {
  if constexpr (std::same_as<T, bool>) {
    const auto raw = in.get<uint8_t>();
    if (raw > 1) in.fail();
    value = raw == 1;
  } else if constexpr (std::integral<T>) {
    value = in.get<T>();
  } else if constexpr (std::is_enum_v<T>) {
    const auto raw = in.get<std::underlying_type_t<T>>();
    if (raw > static_cast<std::underlying_type_t<T>>(last_of(T{}))) in.fail();
    value = static_cast<T>(raw);
  } else if constexpr (std::same_as<T, double>) {
    value = std::bit_cast<double>(in.get<uint64_t>());
  } else if constexpr (std::same_as<T, std::string>) {
    value = in.text(kMaxTextBytes);
  } else {
    static_assert(HasFields<T> && kListsAll<T>, "KERNLOOP_FIELDS names every member");
    std::apply([&](auto&&... field) { (get(in, field), ...); }, value.fields());
    if constexpr (requires { value.is_valid(); }) {
      if (in.ok() && !value.is_valid()) in.fail();
    }
  }
}
template <typename T, size_t count>
void get(WireReader& in, std::array<T, count>& values) {
  for (T& value : values) get(in, value);
}
template <typename T>
void get(WireReader& in, std::optional<T>& value) {
  bool known = false;
  T content{};
  get(in, known);
  get(in, content);
  value = known ? std::optional<T>(content) : std::nullopt;
}
template <uint32_t kMost, uint32_t kEach>
void get(WireReader& in, AtMost<std::string, kMost, kEach>& bounded) {
  bounded.value = in.text(kMost);
}
template <uint32_t kMost, uint32_t kEach>
void get(WireReader& in, AtMost<std::vector<uint8_t>, kMost, kEach>& bounded) {
  const auto raw = in.bytes(kMost);
  bounded.value.assign(raw.begin(), raw.end());
}
template <typename T, uint32_t kMost, uint32_t kEach>
void get(WireReader& in, AtMost<std::vector<T>, kMost, kEach>& bounded) {
  const auto count = in.get<uint32_t>();
  if (count > kMost) in.fail();
  bounded.value.clear();
  for (uint32_t i = 0; i < count && in.ok(); ++i) {
    if constexpr (std::same_as<T, std::string>)
      bounded.value.push_back(in.text(kEach));
    else
      get(in, bounded.value.emplace_back());
  }
}

template <typename Message>
Encoded encoded(const Message& message) {
  WireWriter out;
  if constexpr (requires { Message::kIsGreeting; }) out.put(kHelloMagic).put(kProtocol);
  put(out, message);
  return Encoded(out.bytes().begin(), out.bytes().end());
}

template <typename Message>
std::optional<Message> decoded(std::span<const uint8_t> bytes) {
  WireReader in(bytes);
  if constexpr (requires { Message::kIsGreeting; }) {
    if (in.get<uint32_t>() != kHelloMagic || in.get<uint32_t>() != kProtocol) return std::nullopt;
  }
  Message message;
  get(in, message);
  if (!in.complete()) return std::nullopt;
  return message;
}

// A message: sent by itself. decode() returns none for anything but exactly one well-formed message.
#define KERNLOOP_MESSAGE(Name, ...)                                   \
  KERNLOOP_FIELDS(__VA_ARGS__)                                        \
  Encoded encode() const {                                            \
    return ::kernloop::protocol::encoded(*this);                      \
  }                                                                   \
  static std::optional<Name> decode(std::span<const uint8_t> bytes) { \
    return ::kernloop::protocol::decoded<Name>(bytes);                \
  }

}  // namespace kernloop::protocol
