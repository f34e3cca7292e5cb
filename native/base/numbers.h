// Parses numbers in external texts: the whole text must be one.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kernloop {

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace kernloop
