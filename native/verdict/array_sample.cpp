#include "verdict/array_sample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kernloop::replay {

namespace {

constexpr uint64_t kPointerBytes = 8;
constexpr uint64_t kJoinedGap = 4096;  // closer elements of one type belong to one array

uint64_t word_at(const Buffer& sample, uint64_t at) {
  uint64_t word;
  std::memcpy(&word, sample.data() + at, sizeof word);
  return word;
}

bool is_address(uint64_t value, const std::vector<Target>& targets) {
  return std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    return value >= target.address && value - target.address <= target.size;
  });
}

// Each sample holds a pointer or a value that means none; at least one holds a pointer.
bool holds_pointers(const Observations& seen, uint64_t at, const std::vector<Target>& targets) {
  bool any = false;
  for (const Buffer& sample : seen.samples) {
    const uint64_t word = word_at(sample, at);
    const bool is_pointer = is_address(word, targets);
    if (!is_pointer && word != 0 && word != UINT64_MAX) return false;
    any = any || is_pointer;
  }
  return any;
}

// Moves words that hold pointers from the varying part to the result.
ArraySample take_pointers(Observations& seen, uint64_t offset, const std::vector<Target>& targets) {
  ArraySample pointers{ElementType::kU64, true, {}};
  std::vector<uint64_t> words;
  if (!elements_of(seen, kPointerBytes, words)) return pointers;
  std::vector<AddressRange> taken;
  for (const uint64_t at : words) {
    if (!holds_pointers(seen, at, targets)) continue;
    taken.push_back({at, kPointerBytes});
    // Whether the replays differ is all that counts.
    const size_t replays = seen.samples.size() - 1;
    std::vector<Number> values;
    for (size_t i = 0; i < replays; ++i) values.push_back(static_cast<Number>(word_at(seen.samples[i], at)));
    pointers.elements.push_back(
        {offset + at, true, spread_of(values), static_cast<Number>(word_at(seen.samples.back(), at))});
  }
  std::erase_if(seen.varying, [&](const AddressRange& range) {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const AddressRange& word) { return range.base < word.end() && word.base < range.end(); });
  });
  return pointers;
}

Number width_of(const ElementSample& element) {
  return std::max(element.spread.max, element.post) - std::min(element.spread.min, element.post);
}

Number magnitude_of(const ElementSample& element) {
  return std::max({std::fabs(element.spread.max), std::fabs(element.spread.min), std::fabs(element.post)});
}

// Whole numbers are summed exactly in any order. If they vary by much, they are indices, or values found at an index.
bool is_no_number(ElementType type, const ElementSample& element) {
  return !is_float(type) && width_of(element) > std::max<Number>(2, magnitude_of(element) / 8);
}

// Whether most of the values that replays gave instead of *post* occur in *post* at other places: they moved and are no
// sums. Equal values of short types are chance.
bool moves(const Observations& seen, ElementType type, const std::vector<uint64_t>& offsets) {
  const size_t size = size_of(type);
  if (size < 4) return false;
  constexpr uint64_t kFewest = 4;
  const Buffer& post = seen.samples.back();
  std::vector<Number> values;
  for (uint64_t at = (size - seen.address % size) % size; at + size <= post.size(); at += size) {
    const Number value = load_number(type, post.data() + at);
    if (is_finite(value) && value != 0) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  uint64_t other = 0, found = 0;
  for (const uint64_t at : offsets) {
    const Number expected = load_number(type, post.data() + at);
    for (size_t i = 0; i + 1 < seen.samples.size(); ++i) {
      const Number value = load_number(type, seen.samples[i].data() + at);
      if (!is_finite(value) || value == expected || value == 0) continue;
      // Neighbours in value: sums that came out a little different.
      if (std::fabs(value - expected) <= 64 * spacing_at(type, expected)) continue;
      ++other;
      found += std::binary_search(values.begin(), values.end(), value);
    }
  }
  return other >= kFewest && found * 2 > other;
}

}  // namespace

std::vector<ArraySample> sample_arrays(const Observations& seen, uint64_t offset, const std::vector<Target>& targets,
                                       const std::function<ElementType(const Observations&)>& type_of) {
  Observations numbers = seen;
  std::vector<ArraySample> arrays;
  if (ArraySample pointers = take_pointers(numbers, offset, targets); !pointers.elements.empty())
    arrays.push_back(std::move(pointers));
  if (numbers.varying.empty()) return arrays;
  ElementType type = type_of(numbers);
  std::vector<uint64_t> offsets;
  // Indices pass for halves, too.
  if (size_of(type) < 4 && elements_of(numbers, 4, offsets) && moves(numbers, ElementType::kI32, offsets))
    type = ElementType::kI32;
  elements_of(numbers, size_of(type), offsets);
  ArraySample array{type, moves(numbers, type, offsets), {}};
  const size_t replays = seen.samples.size() - 1;
  std::vector<Number> values(replays);
  for (const uint64_t at : offsets) {
    ElementSample element;
    element.offset = offset + at;
    for (size_t i = 0; i < replays; ++i) {
      values[i] = load_number(type, seen.samples[i].data() + at);
      element.is_finite = element.is_finite && is_finite(values[i]);
    }
    element.post = load_number(type, seen.samples.back().data() + at);
    if (element.is_finite) element.spread = spread_of(values);
    array.is_shape = array.is_shape || (element.is_finite && is_no_number(type, element));
    array.elements.push_back(element);
  }
  arrays.push_back(std::move(array));
  return arrays;
}

void add_array(std::vector<ArraySample>& arrays, ArraySample array) {
  const auto last = std::find_if(arrays.rbegin(), arrays.rend(), [&](const ArraySample& other) {
    return other.type == array.type && array.elements.front().offset - other.end() <= kJoinedGap;
  });
  if (last == arrays.rend()) {
    arrays.push_back(std::move(array));
    return;
  }
  last->is_shape = last->is_shape || array.is_shape;
  last->elements.insert(last->elements.end(), array.elements.begin(), array.elements.end());
}

}  // namespace kernloop::replay
