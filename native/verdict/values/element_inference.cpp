#include "verdict/values/element_inference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernloop::replay {

namespace {

enum class Measure { kRelative, kAbsolute };

// Mean over the varying elements of (max - min), relative to the greatest magnitude for floats. Rearranged sums differ
// in their last digits if read with the right type; with a wrong one, noise of one number lands in the leading digits
// of another. None if a value is no plausible float: counters read as floats are denormal, sign-extended ones are NaN.
std::optional<Number> mean_spread(const Observations& seen, ElementType type, Measure measure) {
  std::vector<uint64_t> offsets;
  if (!elements_of(seen, size_of(type), offsets) || offsets.empty()) return std::nullopt;
  // A half goes down to 6e-8 by design; float and double values of real programs stay far from their limits.
  const Number least = type == ElementType::kF16 ? 0 : 1e-30L;
  const Number greatest = type == ElementType::kF16 ? 65504 : 1e30L;
  Number sum = 0;
  for (uint64_t offset : offsets) {
    Number low = std::numeric_limits<Number>::infinity(), high = -low;
    for (const Buffer& sample : seen.samples) {
      const Number value = load_number(type, sample.data() + offset);
      if (is_float(type)) {
        const Number magnitude = std::fabs(value);
        if (!is_finite(value) || (magnitude != 0 && (magnitude < least || magnitude > greatest))) return std::nullopt;
      }
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const Number magnitude = std::max(std::fabs(low), std::fabs(high));
    const Number unit = measure == Measure::kAbsolute ? 1 : magnitude;
    sum += unit == 0 ? 0 : (high - low) / unit;
  }
  return sum / static_cast<Number>(offsets.size());
}

ElementType least_spread(const Observations& seen, std::initializer_list<ElementType> types, Measure measure,
                         ElementType otherwise) {
  std::optional<Number> best;
  ElementType chosen = otherwise;
  for (ElementType type : types) {
    const auto spread = mean_spread(seen, type, measure);
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
  ElementType floating =
      least_spread(seen, {ElementType::kF32, ElementType::kF64, ElementType::kF16}, Measure::kRelative, kNone);
  if (floating == ElementType::kF16) {
    // Any two bytes are a plausible half: it takes words that make less sense as integers to believe it.
    const auto half = mean_spread(seen, ElementType::kF16, Measure::kRelative);
    const auto word = mean_spread(seen, ElementType::kI32, Measure::kRelative);
    if (word && half && *word <= *half) floating = kNone;
  }
  if (floating != kNone) return floating;
  // Signed and unsigned differ only if values cross zero, or the middle of the range: the wrong type then spreads over
  // all of the range.
  const ElementType word = least_spread(seen, {ElementType::kI32, ElementType::kU32}, Measure::kAbsolute, kNone);
  return word != kNone ? word : least_spread(seen, {ElementType::kI16, ElementType::kU16}, Measure::kAbsolute, kNone);
}

}  // namespace kernloop::replay
