// Guesses the element type of varying bytes that have no declaration.
#pragma once

#include <vector>

#include "verdict/values/address_range.h"
#include "verdict/values/element_type.h"

namespace kernloop::replay {

// The same bytes at `address` as several runs left them (at least one); `varying`: offsets of those that differ.
struct Observations {
  uint64_t address = 0;
  std::vector<Buffer> samples;
  std::vector<AddressRange> varying;
};

// Offsets of the naturally aligned elements of that size which hold a varying byte. False when one sticks out of the
// bytes.
bool elements_of(const Observations& seen, size_t element_size, std::vector<uint64_t>& offsets);

ElementType infer_type(const Observations& seen);

}  // namespace kernloop::replay
