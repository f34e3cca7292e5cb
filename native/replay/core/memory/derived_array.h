// Other values for a kernel's input: elements of one type in a captured region, and their replacements in an input that
// is derived from the captured one (derived_inputs.h). The same seed gives the same values on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/core/device/layout.h"
#include "verdict/content_cache.h"
#include "verdict/target.h"
#include "verdict/values/element_type.h"

namespace kernloop::replay {

// kResampled: between two of the array's own values. kPermuted: its values in other places. kSigns: half of the numbers
// negated. kZeros: zeros become other numbers, and the other way round if the array has zeros.
enum class Recipe : uint8_t { kResampled, kPermuted, kSigns, kZeros };
inline constexpr uint64_t kRecipes = 4;
std::string_view name_of(Recipe recipe);

// Change of an array by one input.
struct Change {
  Recipe recipe = Recipe::kResampled;
  uint64_t seed = 0;
  bool special = false;  // NaN, infinities, -0 and subnormal numbers among floats
};

// The multiples of a power of 2.
class Grid {
 public:
  // `quantum`: the exponent; of an f32 or f64.
  explicit Grid(int quantum = 0);
  int quantum() const { return quantum_; }
  // To even if two are as near; the sign of 0 is that of `value`.
  Number nearest(Number value) const;

 private:
  int quantum_;
  Number size_, per_one_;
};

struct InputArray {
  size_t target = 0;    // its number among the targets
  AddressRange extent;  // offsets in the target, whole elements
  ElementType type = ElementType::kU32;
  bool is_declared = false;         // else guessed from its content
  std::vector<AddressRange> parts;  // offsets of whole elements that change: sorted, disjoint
  uint64_t record_bytes = 0;        // its records change places (record_order.h), and nothing else; 0: it has none

  // Describes the values that the app had there.
  std::vector<uint8_t> sample;  // raw elements
  bool has_zeros = false, has_negatives = false, is_constant = true;
  Grid grid;  // for f32 and f64: holds every value

  uint64_t elements() const;
  uint64_t records() const { return elements() * size_of(type) / record_bytes; }
};

// Reads the values of `array.parts` in *pre* into the other members. At most `most_bytes` of parts stay.
Status look_at_values(ContentCache& cache, const Target& target, uint64_t most_bytes, InputArray& array);

// Changes the part of the array in `bytes`, a chunk of the region at `offset` that holds the app's values.
void derive(const InputArray& array, const Change& change, uint64_t offset, std::span<uint8_t> bytes);

// f32 or f64 if the elements of `parts` are plausible only as such; u32 or bytes otherwise.
Result<ElementType> guess_type(ContentCache& cache, const Target& target, const std::vector<AddressRange>& parts);

// SplitMix64 (Steele, Lea, Flood 2014), as a function.
uint64_t mixed(uint64_t x);

}  // namespace kernloop::replay
