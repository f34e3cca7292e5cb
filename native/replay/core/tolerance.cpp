#include "replay/core/tolerance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace kernloop::replay {

namespace {

std::optional<double> parse_bound(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_count(std::string_view text) {
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool parse_one_bound(std::string_view text, Bounds& bounds) {
  const size_t equals = text.find('=');
  if (equals == text.npos) return false;
  const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "ulp") {
    const auto ulp = parse_count(value);
    if (ulp) bounds.ulp = *ulp;
    return ulp.has_value();
  }
  if (name != "atol" && name != "rtol") return false;
  const auto bound = parse_bound(value);
  if (bound) (name == "atol" ? bounds.atol : bounds.rtol) = *bound;
  return bound.has_value();
}

// "r3" or "r3:OFFSET:SIZE".
bool parse_place(std::string_view text, ElementTolerance& tolerance) {
  const size_t first = text.find(':');
  tolerance.target = text.substr(0, first);
  if (first == text.npos) return !tolerance.target.empty();
  const size_t second = text.find(':', first + 1);
  if (second == text.npos) return false;
  const auto offset = parse_count(text.substr(first + 1, second - first - 1));
  const auto size = parse_count(text.substr(second + 1));
  if (!offset || !size) return false;
  tolerance.offset = *offset;
  tolerance.size = *size;
  return !tolerance.target.empty();
}

// Position among the representable values of the type: neighbours differ by one, and both zeros are 0.
int64_t ordinal(ElementType type, const uint8_t* bytes) {
  uint64_t bits = 0;
  const size_t size = size_of(type);
  std::memcpy(&bits, bytes, size);
  const uint64_t sign = uint64_t{1} << (8 * size - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

uint64_t ulps_between(ElementType type, const uint8_t* a, const uint8_t* b) {
  const int64_t first = ordinal(type, a), second = ordinal(type, b);
  // Unsigned, since the distance of two far doubles of opposite sign is beyond int64_t.
  return first > second ? static_cast<uint64_t>(first) - static_cast<uint64_t>(second)
                        : static_cast<uint64_t>(second) - static_cast<uint64_t>(first);
}

// Elements of [offset, offset + size) that share a byte with one of the ranges, which are sorted and disjoint.
uint64_t elements_touching(const std::vector<AddressRange>& ranges, uint64_t offset, uint64_t size,
                           uint64_t element_bytes) {
  uint64_t elements = 0, counted_to = offset;  // elements before `counted_to` are counted
  for (const AddressRange& range : ranges) {
    const uint64_t from = std::max({range.base, offset, counted_to}), to = std::min(range.end(), offset + size);
    if (from >= to) continue;
    const uint64_t first = (from - offset) / element_bytes, last = (to - 1 - offset) / element_bytes;
    elements += last - first + 1;
    counted_to = offset + (last + 1) * element_bytes;
  }
  return elements;
}

}  // namespace

std::optional<ElementTolerance> parse_tolerance(const std::string& text) {
  const std::string_view all = text;
  const size_t equals = all.find('='), comma = all.find(',');
  if (equals == all.npos || comma == all.npos || comma < equals) return std::nullopt;
  ElementTolerance tolerance;
  const auto type = element_type_of(all.substr(equals + 1, comma - equals - 1));
  if (!type || !parse_place(all.substr(0, equals), tolerance)) return std::nullopt;
  tolerance.type = *type;
  for (size_t begin = comma + 1; begin <= all.size();) {
    const size_t end = std::min(all.find(',', begin), all.size());
    if (!parse_one_bound(all.substr(begin, end - begin), tolerance.bounds)) return std::nullopt;
    begin = end + 1;
  }
  return tolerance;
}

ElementError judge_element(ElementType type, const Bounds& bounds, const uint8_t* expected_bytes,
                           const uint8_t* actual_bytes) {
  const Number expected = load_number(type, expected_bytes), actual = load_number(type, actual_bytes);
  ElementError error;
  error.finite = is_finite(expected) && is_finite(actual);
  if (!error.finite) {
    // NaN equals nothing, so that == alone decides for infinities.
    error.within = (std::isnan(expected) && std::isnan(actual)) || expected == actual;
    return error;
  }
  error.absolute = std::fabs(actual - expected);
  if (expected != 0) error.relative = error.absolute / std::fabs(expected);
  error.within = error.absolute <= bounds.atol + bounds.rtol * std::fabs(expected);
  if (is_float(type)) {
    error.ulp = ulps_between(type, expected_bytes, actual_bytes);
    error.within = error.within || *error.ulp <= bounds.ulp;
  }
  return error;
}

ToleranceJudge::ToleranceJudge(const std::vector<ElementTolerance>& tolerances,
                               const std::vector<AddressRange>& accepted_already)
    : tolerances_(tolerances), counts_(tolerances.size()) {
  for (size_t i = 0; i < tolerances.size(); ++i) {
    const uint64_t element_bytes = size_of(tolerances[i].type);
    const uint64_t whole = tolerances[i].size / element_bytes;
    counts_[i].elements =
        whole - elements_touching(accepted_already, tolerances[i].offset, whole * element_bytes, element_bytes);
  }
}

archive::Bytes ToleranceJudge::accept(uint64_t offset, archive::Bytes expected, archive::Bytes actual,
                                      archive::Buffer& copy) {
  for (size_t i = 0; i < tolerances_.size(); ++i) {
    const ElementTolerance& tolerance = tolerances_[i];
    const uint64_t element_bytes = size_of(tolerance.type);
    // A last element that is not whole is compared as bytes.
    const uint64_t end = tolerance.offset + tolerance.size / element_bytes * element_bytes;
    const uint64_t from = std::max(offset, tolerance.offset), to = std::min(offset + actual.size(), end);
    if (from >= to) continue;
    const size_t at = from - offset, size = to - from;
    if (std::memcmp(expected.data() + at, actual.data() + at, size) == 0) continue;
    if (actual.data() != copy.data()) {
      copy.assign(actual.begin(), actual.end());
      actual = copy;
    }
    judge(i, expected.subspan(at, size), std::span(copy).subspan(at, size));
  }
  return actual;
}

void ToleranceJudge::judge(size_t index, archive::Bytes expected, std::span<uint8_t> actual) {
  const ElementTolerance& tolerance = tolerances_[index];
  ToleranceCount& count = counts_[index];
  const size_t size = size_of(tolerance.type);
  for (size_t at = 0; at + size <= expected.size(); at += size) {
    if (std::memcmp(&expected[at], &actual[at], size) == 0) continue;
    const ElementError error = judge_element(tolerance.type, tolerance.bounds, &expected[at], &actual[at]);
    if (error.within) std::memcpy(&actual[at], &expected[at], size);
    ++(error.within ? count.within : count.outside);
    if (!error.finite) {
      if (!error.within) ++count.not_finite;
      continue;
    }
    count.max_absolute = std::max(count.max_absolute, error.absolute);
    count.max_relative = std::max(count.max_relative, error.relative.value_or(0));
    count.max_ulp = std::max(count.max_ulp, error.ulp.value_or(0));
  }
}

archive::Json to_json(const ElementTolerance& tolerance, const ToleranceCount& count) {
  archive::Json json = {{"offset", tolerance.offset},
                        {"bytes", tolerance.size},
                        {"dtype", name_of(tolerance.type)},
                        {"atol", tolerance.bounds.atol},
                        {"rtol", tolerance.bounds.rtol},
                        {"ulp", tolerance.bounds.ulp},
                        {"elements", count.elements},
                        {"equal", count.elements - count.within - count.outside},
                        {"within", count.within},
                        {"outside", count.outside},
                        {"not_finite", count.not_finite},
                        {"max_abs_error", static_cast<double>(count.max_absolute)},
                        {"max_rel_error", static_cast<double>(count.max_relative)}};
  if (is_float(tolerance.type)) json["max_ulp_error"] = count.max_ulp;
  return json;
}

}  // namespace kernloop::replay
