#include "replay/core/memory/derived_array.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

constexpr size_t kSampled = 4096;     // elements of an array
constexpr uint64_t kShuffled = 4096;  // elements that change places with each other
constexpr uint64_t kSpecialOf = 64;

// Float format: number of fraction bits, and the bits of 1.
struct FloatForm {
  int fraction = 0;
  uint64_t one = 0;
};

FloatForm form_of(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return {10, 0x3c00};
    case ElementType::kBf16:
      return {7, 0x3f80};
    case ElementType::kF32:
      return {23, 0x3f800000};
    case ElementType::kF64:
      return {52, 0x3ff0000000000000};
    case ElementType::kF8E4M3:
      return {3, 0x38};
    case ElementType::kF8E5M2:
      return {2, 0x3c};
    case ElementType::kF8E4M3Fnuz:
      return {3, 0x40};
    case ElementType::kF8E5M2Fnuz:
      return {2, 0x40};
    default:
      return {};
  }
}

bool is_signed(ElementType type) {
  return type == ElementType::kI8 || type == ElementType::kI16 || type == ElementType::kI32 ||
         type == ElementType::kI64;
}

uint64_t load_bits(const uint8_t* at, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  return bits;
}

void store_bits(uint64_t bits, size_t size, uint8_t* at) {
  std::memcpy(at, &bits, size);
}

uint64_t sign_bit(size_t size) {
  return uint64_t{1} << (size * 8 - 1);
}

bool is_zero(ElementType type, uint64_t bits) {
  const size_t size = size_of(type);
  return bits == 0 ||
         (is_float(type) && bits == sign_bit(size) && load_number(type, reinterpret_cast<const uint8_t*>(&bits)) == 0);
}

Number number_of_bits(ElementType type, uint64_t bits) {
  return load_number(type, reinterpret_cast<const uint8_t*>(&bits));
}

// The exponent of the lowest set bit of a finite f32 or f64 other than 0. As an x87 number it has 64 digits, none of
// them implied, and is never subnormal.
int lowest_bit(Number value) {
  static_assert(std::numeric_limits<Number>::digits == 64);
  constexpr int kBias = 16383;
  uint64_t digits = 0;
  uint16_t sign_and_exponent = 0;
  std::memcpy(&digits, &value, sizeof digits);
  std::memcpy(&sign_and_exponent, reinterpret_cast<const uint8_t*>(&value) + sizeof digits, sizeof sign_and_exponent);
  return (sign_and_exponent & 0x7fff) - kBias - 63 + std::countr_zero(digits);
}

uint64_t bits_of(ElementType type, Number value) {
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(static_cast<double>(value));
  if (is_signed(type)) return static_cast<uint64_t>(static_cast<int64_t>(value));
  return static_cast<uint64_t>(value);
}

bool has_exact_numbers(ElementType type) {
  return !is_float(type) || type == ElementType::kF32 || type == ElementType::kF64;
}

// Draws for one element: a stream of its own.
class Draw {
 public:
  explicit Draw(uint64_t state) : state_(state) {}
  uint64_t next() { return mixed(state_++); }
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

uint64_t sampled(const InputArray& array, Draw& draw) {
  const size_t size = size_of(array.type);
  return load_bits(&array.sample[draw.below(array.sample.size() / size) * size], size);
}

// A value near the only one of a constant array: 1.5 times as much, or the next whole number.
uint64_t beside_constant(const InputArray& array, uint64_t bits, Draw& draw) {
  const ElementType type = array.type;
  const size_t size = size_of(type);
  if (is_float(type)) {
    const auto [fraction, one] = form_of(type);
    const uint64_t half = uint64_t{1} << (fraction - 1);
    if (!is_zero(type, bits)) return draw.below(4) == 0 ? bits : bits ^ half;
    return one + (draw.below(2) == 0 ? half : 0) + (draw.below(2) << fraction);  // 1, 1.5, 2, 3
  }
  // A byte that is 0 or 1 everywhere may be a bool.
  if (size == 1 && bits <= 1) return 1 - bits;
  const uint64_t mask = size == 8 ? UINT64_MAX : (uint64_t{1} << size * 8) - 1;
  const uint64_t greatest = is_signed(type) ? mask >> 1 : mask;
  const uint64_t step = 1 + draw.below(9);
  return bits <= greatest && greatest - bits >= step ? bits + step : (bits - step) & mask;
}

// A value between two of the array's. The result is never 0 unless the array has zeros.
uint64_t between(const InputArray& array, Draw& draw) {
  const ElementType type = array.type;
  const uint64_t first = sampled(array, draw), second = sampled(array, draw);
  // Bytes of an unknown type may be anything, of which only values that the app had make sense.
  if (!has_exact_numbers(type) || (!array.is_declared && !is_float(type))) return first;
  const Number a = number_of_bits(type, first), b = number_of_bits(type, second);
  const Number part = static_cast<Number>(draw.next() >> 11) / static_cast<Number>(uint64_t{1} << 53);
  Number value = a + (b - a) * part;
  value = is_float(type) ? array.grid.nearest(value) : std::floor(value);
  const uint64_t bits = bits_of(type, value);
  return (value == 0 && !array.has_zeros) || (is_float(type) && !is_finite(number_of_bits(type, bits))) ? first : bits;
}

uint64_t other_value(const InputArray& array, uint64_t bits, Draw& draw) {
  return array.is_constant ? beside_constant(array, bits, draw) : between(array, draw);
}

uint64_t nonzero_value(const InputArray& array, Draw& draw) {
  for (int tries = 0; tries < 8 && !array.is_constant; ++tries) {
    const uint64_t bits = between(array, draw);
    if (!is_zero(array.type, bits)) return bits;
  }
  return beside_constant(array, 0, draw);
}

uint64_t negated(const InputArray& array, uint64_t bits, Draw& draw) {
  const size_t size = size_of(array.type);
  if (is_float(array.type)) return draw.below(2) == 0 ? bits : bits ^ sign_bit(size);
  if (!array.has_negatives || !is_signed(array.type)) return other_value(array, bits, draw);
  const uint64_t mask = size == 8 ? UINT64_MAX : (uint64_t{1} << size * 8) - 1;
  return draw.below(2) == 0 || bits == sign_bit(size) ? bits : (0 - bits) & mask;
}

uint64_t special_bits(ElementType type, uint64_t which) {
  const size_t size = size_of(type);
  const uint64_t infinity = type == ElementType::kF16    ? 0x7c00
                            : type == ElementType::kBf16 ? 0x7f80
                            : type == ElementType::kF32  ? 0x7f800000
                                                         : 0x7ff0000000000000;
  switch (which) {
    case 0:
      return infinity | uint64_t{1} << (form_of(type).fraction - 1);  // a quiet NaN
    case 1:
      return infinity;
    case 2:
      return infinity | sign_bit(size);
    case 3:
      return sign_bit(size);
    default:
      return 1;  // the least subnormal number
  }
}

bool has_special(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

uint64_t changed(const InputArray& array, const Change& change, uint64_t bits, Draw& draw) {
  const ElementType type = array.type;
  if (change.special && has_special(type) && draw.below(kSpecialOf) == 0) return special_bits(type, draw.below(5));
  if (is_float(type) && !is_finite(number_of_bits(type, bits))) return bits;  // a sentinel of the app's
  switch (change.recipe) {
    case Recipe::kResampled:
      return other_value(array, bits, draw);
    case Recipe::kPermuted:
      return array.is_constant ? beside_constant(array, bits, draw) : bits;
    case Recipe::kSigns:
      return is_zero(type, bits) ? other_value(array, bits, draw) : negated(array, bits, draw);
    case Recipe::kZeros:
      if (is_zero(type, bits)) return nonzero_value(array, draw);
      return array.has_zeros && draw.below(4) == 0 ? 0 : other_value(array, bits, draw);
  }
  return bits;
}

// Calls `visit(at)` with the offset in the chunk of every element that changes.
template <typename Visit>
void for_each_element(const InputArray& array, uint64_t offset, uint64_t bytes, const Visit& visit) {
  const size_t size = size_of(array.type);
  auto part = std::lower_bound(array.parts.begin(), array.parts.end(), offset,
                               [](const AddressRange& r, uint64_t at) { return r.end() <= at; });
  for (; part != array.parts.end() && part->base < offset + bytes; ++part) {
    const uint64_t end = std::min(part->end(), offset + bytes);
    for (uint64_t at = std::max(part->base, offset); at < end; at += size) visit(at - offset);
  }
}

// Within windows of an array's elements, since no more than a chunk is at hand.
void permute(const InputArray& array, uint64_t seed, uint64_t offset, std::span<uint8_t> bytes) {
  const size_t size = size_of(array.type);
  std::vector<uint64_t> places;
  uint64_t window = UINT64_MAX;
  const auto shuffle = [&] {
    for (size_t i = places.size(); i > 1; --i) {
      const size_t other = mixed(seed ^ mixed(offset + places[i - 1])) % i;
      std::swap_ranges(&bytes[places[i - 1]], &bytes[places[i - 1]] + size, &bytes[places[other]]);
    }
    places.clear();
  };
  for_each_element(array, offset, bytes.size(), [&](uint64_t at) {
    const uint64_t number = (offset + at - array.extent.base) / size / kShuffled;
    if (number != window) shuffle();
    window = number;
    places.push_back(at);
  });
  shuffle();
}

}  // namespace

uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

std::string_view name_of(Recipe recipe) {
  switch (recipe) {
    case Recipe::kResampled:
      return "resampled";
    case Recipe::kPermuted:
      return "permuted";
    case Recipe::kSigns:
      return "signs";
    case Recipe::kZeros:
      return "zeros";
  }
  return "";
}

Grid::Grid(int quantum)
    : quantum_(quantum), size_(std::ldexp(Number{1}, quantum)), per_one_(std::ldexp(Number{1}, -quantum)) {}

Number Grid::nearest(Number value) const {
  // A sum of this size has no digits behind the point, so the addition rounds as nearbyintl does, which takes ten times
  // as long.
  constexpr Number kLarge = 0x1.8p63L, kEnough = 0x1p62L;
  const Number count = value * per_one_;
  if (!(std::fabs(count) < kEnough)) return std::nearbyint(count) * size_;
  return std::copysign((count + kLarge) - kLarge, value) * size_;
}

uint64_t InputArray::elements() const {
  return total_bytes(parts) / size_of(type);
}

Status look_at_values(ContentCache& cache, const Target& target, uint64_t most_bytes, InputArray& array) {
  const size_t size = size_of(array.type);
  for (size_t i = 0, left = most_bytes / size * size; i < array.parts.size(); ++i) {
    array.parts[i].size = std::min<uint64_t>(array.parts[i].size, left);
    left -= array.parts[i].size;
    if (array.parts[i].size == 0) array.parts.resize(i);
  }
  const uint64_t every = std::max<uint64_t>(1, array.elements() / kSampled);
  constexpr int kNone = 1 << 20;
  int lowest = kNone;
  uint64_t number = 0;
  std::optional<uint64_t> first;
  Buffer piece;
  for (const AddressRange& part : array.parts) {
    constexpr uint64_t kPieceBytes = 1u << 20;
    for (uint64_t at = part.base; at < part.end(); at += kPieceBytes) {
      piece.resize(std::min(kPieceBytes, part.end() - at));
      if (auto read = read_content(cache, target.pre, at, piece); !read) return read;
      for (size_t i = 0; i < piece.size(); i += size, ++number) {
        const uint64_t bits = load_bits(&piece[i], size);
        const Number value = number_of_bits(array.type, bits);
        if (is_float(array.type) && !is_finite(value)) continue;
        if (!first) first = bits;
        array.is_constant = array.is_constant && bits == *first;
        array.has_zeros = array.has_zeros || value == 0;
        array.has_negatives = array.has_negatives || value < 0;
        if (number % every == 0) array.sample.insert(array.sample.end(), &piece[i], &piece[i] + size);
        if (value != 0 && is_float(array.type)) lowest = std::min(lowest, lowest_bit(value));
      }
    }
  }
  if (!first) array.parts.clear();
  // The sample may have missed every number if there are few of them among infinities.
  if (first && array.sample.empty())
    array.sample.assign(reinterpret_cast<const uint8_t*>(&*first), reinterpret_cast<const uint8_t*>(&*first) + size);
  array.grid = Grid(lowest == kNone ? 0 : lowest);
  return Unit{};
}

void derive(const InputArray& array, const Change& change, uint64_t offset, std::span<uint8_t> bytes) {
  const size_t size = size_of(array.type);
  const uint64_t seed = mixed(change.seed ^ mixed(array.target) ^ mixed(~array.extent.base));
  if (change.recipe == Recipe::kPermuted && !array.is_constant) permute(array, seed, offset, bytes);
  for_each_element(array, offset, bytes.size(), [&](uint64_t at) {
    Draw draw(mixed(seed ^ mixed(offset + at)));
    store_bits(changed(array, change, load_bits(&bytes[at], size), draw), size, &bytes[at]);
  });
}

Result<ElementType> guess_type(ContentCache& cache, const Target& target, const std::vector<AddressRange>& parts) {
  constexpr uint64_t kLookedAt = 64u << 10;
  // Values of programs keep far from the limits of their types; small integers are subnormal numbers as floats.
  constexpr Number kLeast = 1e-15L, kGreatest = 1e15L;
  const auto seems = [&](ElementType type) -> Result<bool> {
    const size_t size = size_of(type);
    uint64_t looked = 0, numbers = 0;
    Buffer piece;
    for (const AddressRange& part : parts) {
      if (part.base % size != 0 || part.size % size != 0) return false;
      piece.resize(std::min(part.size, kLookedAt - std::min(looked, kLookedAt)) / size * size);
      if (auto read = read_content(cache, target.pre, part.base, piece); !read) return read.error();
      for (size_t i = 0; i < piece.size(); i += size) {
        const Number value = load_number(type, &piece[i]);
        if (value == 0) continue;
        if (!is_finite(value) || std::fabs(value) < kLeast || std::fabs(value) > kGreatest) return false;
        ++numbers;
      }
      looked += piece.size();
    }
    return numbers >= 4;
  };
  for (const ElementType type : {ElementType::kF32, ElementType::kF64}) {
    auto found = seems(type);
    if (!found) return found.error();
    if (*found) return type;
  }
  const bool are_words = std::all_of(parts.begin(), parts.end(),
                                     [](const AddressRange& part) { return part.base % 4 == 0 && part.size % 4 == 0; });
  return are_words ? ElementType::kU32 : ElementType::kU8;
}

}  // namespace kernloop::replay
