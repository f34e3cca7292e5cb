// Values that replays gave for the varying elements of one array, and their kind: numbers around a centre, or the
// places and links of a structure whose shape follows the order of waves.
#pragma once

#include <functional>
#include <vector>

#include "verdict/target.h"
#include "verdict/values/element_inference.h"
#include "verdict/values/tolerance_interval.h"

namespace kernloop::replay {

struct ElementSample {
  uint64_t offset = 0;  // in the target
  bool is_finite = true;
  Spread spread;  // over the replays
  Number post = 0;
};

struct ArraySample {
  ElementType type = ElementType::kU8;
  bool is_shape = false;
  std::vector<ElementSample> elements;  // ascending

  uint64_t end() const { return elements.back().offset + size_of(type); }
};

// Samples a few kilobytes that vary, at `offset` in a target. The last sample is *post*. Words that hold pointers into
// one of the targets in every sample are an array of their own; `type_of` is asked about the rest.
std::vector<ArraySample> sample_arrays(const Observations& seen, uint64_t offset, const std::vector<Target>& targets,
                                       const std::function<ElementType(const Observations&)>& type_of);

// Appends the array, or joins it to the last array of its kind if they are close.
void add_array(std::vector<ArraySample>& arrays, ArraySample array);

}  // namespace kernloop::replay
