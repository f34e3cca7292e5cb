#include "replay/core/element_inference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernloop::replay {

namespace {

// Mean over the varying elements of (max - min) / greatest magnitude. Rearranged sums differ in their last digits when read with
// the right type; with a wrong one, noise of one number lands in the leading digits of another. Nothing when a value is no plausible
// float: counters read as floats are denormal, sign-extended ones are NaN.
std::optional<Number> mean_relative_spread(const Observations& seen, ElementType type) {
  std::vector<uint64_t> offsets;
  if (!elements_of(seen, size_of(type), offsets) || offsets.empty()) return std::nullopt;
  // A half goes down to 6e-8 by design; float and double values of real programs keep far from their limits.
  const Number least = type == ElementType::kF16 ? 0 : 1e-30L;
  const Number greatest = type == ElementType::kF16 ? 65504 : 1e30L;
  Number sum = 0;
  for (uint64_t offset : offsets) {
    Number low = std::numeric_limits<Number>::infinity(), high = -low;
    for (const archive::Buffer& sample : seen.samples) {
      const Number value = load_number(type, sample.data() + offset);
      if (is_float(type)) {
        const Number magnitude = std::fabs(value);
        if (!is_finite(value) || (magnitude != 0 && (magnitude < least || magnitude > greatest))) return std::nullopt;
      }
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const Number magnitude = std::max(std::fabs(low), std::fabs(high));
    sum += magnitude == 0 ? 0 : (high - low) / magnitude;
  }
  return sum / static_cast<Number>(offsets.size());
}

ElementType least_spread(const Observations& seen, std::initializer_list<ElementType> types, ElementType otherwise) {
  std::optional<Number> best;
  ElementType chosen = otherwise;
  for (ElementType type : types) {
    const auto spread = mean_relative_spread(seen, type);
    if (!spread || (best && *spread >= *best)) continue;
    best = spread;
    chosen = type;
  }
  return chosen;
}

}  // namespace

bool elements_of(const Observations& seen, size_t element_size, std::vector<uint64_t>& offsets) {
  offsets.clear();
  const uint64_t size = seen.samples.front().size();
  for (const AddressRange& range : seen.varying) {
    const uint64_t first = (seen.address + range.base) / element_size * element_size;
    for (uint64_t at = first; at < seen.address + range.end(); at += element_size) {
      if (at < seen.address || at - seen.address + element_size > size) return false;
      if (offsets.empty() || offsets.back() < at - seen.address) offsets.push_back(at - seen.address);
    }
  }
  return true;
}

ElementType infer_type(const Observations& seen) {
  // Integers always look closer than floats (a float's exponent counts as magnitude), so floats are asked first.
  constexpr ElementType kNone = ElementType::kU8;
  const ElementType floating = least_spread(seen, {ElementType::kF32, ElementType::kF64, ElementType::kF16}, kNone);
  if (floating == ElementType::kF16) {
    // Any two bytes are a plausible half: it takes words that make no sense as integers to believe it.
    const auto half = mean_relative_spread(seen, ElementType::kF16);
    const auto word = mean_relative_spread(seen, ElementType::kI32);
    if (word && half && *word <= *half) return least_spread(seen, {ElementType::kI32, ElementType::kU32}, kNone);
  }
  if (floating != kNone) return floating;
  return least_spread(seen, {ElementType::kI32, ElementType::kU32, ElementType::kI16, ElementType::kU8}, kNone);
}

}  // namespace kernloop::replay
