#include "verdict/values/tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/numbers.h"

namespace kernloop::replay {

namespace {

std::optional<double> parse_bound(std::string_view text) {
  const auto value = number_of<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

std::optional<Special> parse_special(std::string_view text) {
  if (text == "match") return Special::kMatch;
  if (text == "refuse") return Special::kRefuse;
  if (text == "ignore") return Special::kIgnore;
  return std::nullopt;
}

const char* name_of(Special policy) {
  return policy == Special::kMatch ? "match" : policy == Special::kRefuse ? "refuse" : "ignore";
}

bool parse_one_bound(std::string_view text, Bounds& bounds) {
  if (text == "exact") return bounds.exact = true;
  const size_t equals = text.find('=');
  if (equals == text.npos) return false;
  const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "ulp") {
    const auto ulp = number_of<uint64_t>(value);
    if (ulp) bounds.ulp = *ulp;
    return ulp.has_value();
  }
  if (name == "nan" || name == "inf") {
    const auto policy = parse_special(value);
    if (policy) (name == "nan" ? bounds.nan : bounds.infinity) = *policy;
    return policy.has_value();
  }
  if (name == "matched") {
    const auto share = parse_bound(value);
    if (share) bounds.matched = *share;
    return share && *share > 0 && *share <= 1;
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
  const auto offset = number_of<uint64_t>(text.substr(first + 1, second - first - 1));
  const auto size = number_of<uint64_t>(text.substr(second + 1));
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

// At least one of the two is no finite number.
bool is_special_within(const Bounds& bounds, Number expected, Number actual) {
  if (std::isnan(expected))
    return bounds.nan == Special::kIgnore || (std::isnan(actual) && bounds.nan == Special::kMatch);
  if (std::isnan(actual)) return false;
  if (std::isinf(expected))
    return bounds.infinity == Special::kIgnore || (expected == actual && bounds.infinity == Special::kMatch);
  return false;
}

bool refuses(const Bounds& bounds, Number value) {
  return std::isnan(value)   ? bounds.nan == Special::kRefuse
         : std::isinf(value) ? bounds.infinity == Special::kRefuse
                             : false;
}

bool touches(const std::vector<AddressRange>& ranges, uint64_t offset, uint64_t size) {
  const auto range = std::lower_bound(ranges.begin(), ranges.end(), offset,
                                      [](const AddressRange& r, uint64_t at) { return r.end() <= at; });
  return range != ranges.end() && range->base < offset + size;
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
    error.within = !bounds.exact && is_special_within(bounds, expected, actual);
    return error;
  }
  error.absolute = std::fabs(actual - expected);
  if (expected != 0) error.relative = error.absolute / std::fabs(expected);
  error.within = error.absolute <= bounds.atol + bounds.rtol * std::fabs(expected);
  if (is_float(type)) {
    error.ulp = ulps_between(type, expected_bytes, actual_bytes);
    error.within = error.within || *error.ulp <= bounds.ulp;
  }
  error.within = error.within && !bounds.exact;
  return error;
}

ToleranceJudge::ToleranceJudge(const std::vector<ElementTolerance>& tolerances,
                               const std::vector<AddressRange>& accepted_already, uint64_t size)
    : tolerances_(tolerances),
      accepted_already_(accepted_already),
      counts_(tolerances.size()),
      excusable_(tolerances.size(), DifferenceCollector(size)) {
  for (size_t i = 0; i < tolerances.size(); ++i) {
    const uint64_t element_bytes = size_of(tolerances[i].type);
    const uint64_t whole = tolerances[i].size / element_bytes;
    counts_[i].elements =
        whole - elements_touching(accepted_already, tolerances[i].offset, whole * element_bytes, element_bytes);
  }
}

Bytes ToleranceJudge::accept(uint64_t offset, Bytes expected, Bytes actual, Buffer& copy) {
  for (size_t i = 0; i < tolerances_.size(); ++i) {
    const ElementTolerance& tolerance = tolerances_[i];
    const uint64_t element_bytes = size_of(tolerance.type);
    // A last element that is not whole is compared as bytes.
    const uint64_t end = tolerance.offset + tolerance.size / element_bytes * element_bytes;
    const uint64_t from = std::max(offset, tolerance.offset), to = std::min(offset + actual.size(), end);
    if (from >= to) continue;
    const size_t at = from - offset, size = to - from;
    if (std::memcmp(expected.data() + at, actual.data() + at, size) == 0) {
      count_equal_specials(i, from, expected.subspan(at, size));
      continue;
    }
    if (actual.data() != copy.data()) {
      copy.assign(actual.begin(), actual.end());
      actual = copy;
    }
    judge(i, from, expected.subspan(at, size), std::span(copy).subspan(at, size));
  }
  return actual;
}

bool ToleranceJudge::are_excused(size_t index) const {
  const double matched = tolerances_[index].bounds.matched;
  const ToleranceCount& count = counts_[index];
  return matched < 1 && static_cast<double>(count.excusable()) <= (1 - matched) * static_cast<double>(count.elements);
}

// Equal bytes are no error, but may hold special values that are counted, or refused.
void ToleranceJudge::count_equal_specials(size_t index, uint64_t offset, Bytes expected) {
  const ElementType type = tolerances_[index].type;
  constexpr size_t kBlock = 4096;
  const size_t size = size_of(type);
  for (size_t block = 0; block < expected.size(); block += kBlock) {
    const Bytes piece = expected.subspan(block, std::min(kBlock, expected.size() - block));
    if (replay::count_special(type, piece) == 0) continue;
    for (size_t at = 0; at + size <= piece.size(); at += size) {
      const Number value = load_number(type, &piece[at]);
      if (is_finite(value) || touches(accepted_already_, offset + block + at, size)) continue;
      count_special(index, value, value);
      if (!refuses(tolerances_[index].bounds, value)) continue;
      ToleranceCount& count = counts_[index];
      ++count.refused;
      count_outside(index, offset + block + at, {}, value, value);
    }
  }
}

void ToleranceJudge::judge(size_t index, uint64_t offset, Bytes expected, std::span<uint8_t> actual) {
  const ElementTolerance& tolerance = tolerances_[index];
  ToleranceCount& count = counts_[index];
  const size_t size = size_of(tolerance.type);
  for (size_t at = 0; at + size <= expected.size(); at += size) {
    if (std::memcmp(&expected[at], &actual[at], size) == 0) {
      count_equal_specials(index, offset + at, expected.subspan(at, size));
      continue;
    }
    const Number before = load_number(tolerance.type, &expected[at]), now = load_number(tolerance.type, &actual[at]);
    const ElementError error = judge_element(tolerance.type, tolerance.bounds, &expected[at], &actual[at]);
    if (error.within) ++count.within;
    if (!error.within) count_outside(index, offset + at, error, before, now);
    if (error.finite) {
      count.max_absolute = std::max(count.max_absolute, error.absolute);
      count.max_relative = std::max(count.max_relative, error.relative.value_or(0));
      count.max_ulp = std::max(count.max_ulp, error.ulp.value_or(0));
    } else {
      count_special(index, before, now);
    }
    const bool may_be_excused = !error.within && error.finite && tolerance.bounds.matched < 1;
    if (may_be_excused) {
      excusable_[index].compare(offset + at, expected.subspan(at, size), Bytes(actual).subspan(at, size));
    }
    if (error.within || may_be_excused) std::memcpy(&actual[at], &expected[at], size);
  }
}

// Counts a pair of which at least one is NaN or infinite.
void ToleranceJudge::count_special(size_t index, Number expected, Number actual) {
  ToleranceCount& count = counts_[index];
  const auto tally = [](SpecialCount& special, bool before, bool now, bool same) {
    if (before && now) ++(same ? special.both : special.other);
    if (before && !now) ++special.expected_only;
    if (!before && now) ++special.actual_only;
  };
  tally(count.nan, std::isnan(expected), std::isnan(actual), true);
  tally(count.infinity, std::isinf(expected), std::isinf(actual), expected == actual);
}

void ToleranceJudge::count_outside(size_t index, uint64_t offset, const ElementError& error, Number expected,
                                   Number actual) {
  ToleranceCount& count = counts_[index];
  ++count.outside;
  const ElementExample example{offset, expected, actual};
  if (count.first_outside.size() < ToleranceCount::kExamples) count.first_outside.push_back(example);
  const bool same = expected == actual || (std::isnan(expected) && std::isnan(actual));
  if (!error.finite && !same) ++count.not_finite;
  if (error.finite && (!count.worst || error.absolute > std::fabs(count.worst->actual - count.worst->expected))) {
    count.worst = example;
  }
}

namespace {

archive::Json to_json(const SpecialCount& count) {
  return {{"expected_only", count.expected_only},
          {"actual_only", count.actual_only},
          {"both", count.both},
          {"other", count.other}};
}

archive::Json to_json(ElementType type, const ElementExample& example) {
  return {{"offset", example.offset},
          {"expected", value_to_json(type, example.expected)},
          {"actual", value_to_json(type, example.actual)}};
}

}  // namespace

archive::Json to_json(const ElementTolerance& tolerance, const ToleranceCount& count, bool excused) {
  const auto& [target, offset, bytes, type, bounds] = tolerance;
  archive::Json json = {{"offset", offset},
                        {"bytes", bytes},
                        {"dtype", name_of(type)},
                        {"exact", bounds.exact},
                        {"atol", bounds.atol},
                        {"rtol", bounds.rtol},
                        {"ulp", bounds.ulp},
                        {"matched", bounds.matched},
                        {"nan_policy", name_of(bounds.nan)},
                        {"inf_policy", name_of(bounds.infinity)},
                        {"elements", count.elements},
                        {"equal", count.elements - count.within - count.outside},
                        {"within", count.within},
                        {"outside", count.outside},
                        {"excused", excused ? count.excusable() : 0},
                        {"refused", count.refused},
                        {"not_finite", count.not_finite},
                        {"max_abs_error", static_cast<double>(count.max_absolute)},
                        {"max_rel_error", static_cast<double>(count.max_relative)}};
  if (is_float(type)) {
    json["max_ulp_error"] = count.max_ulp;
    json["nan"] = to_json(count.nan);
    json["inf"] = to_json(count.infinity);
  }
  json["first_outside"] = archive::Json::array();
  for (const ElementExample& example : count.first_outside) json["first_outside"].push_back(to_json(type, example));
  if (count.worst) json["worst"] = to_json(type, *count.worst);
  return json;
}

}  // namespace kernloop::replay
