// Finds arrays whose order is free, their records, and which arrays one permutation orders, from the app's result and
// the replays of a calibration.
#pragma once

#include <optional>

#include "verdict/values/address_range.h"
#include "verdict/values/element_type.h"
#include "verdict/values/record_multiset.h"

namespace kernloop::replay {

inline bool overlap(const AddressRange& a, const AddressRange& b) {
  return a.base < b.end() && b.base < a.end();
}

// Content of an array by the kernel's signature.
enum class Pointee : uint8_t {
  kUnknown,
  kScalar,  // though a thread may write several of them as one record
  kRecord,  // known size: float4
  kStruct,  // unknown size
};

// An array that holds the same units in another order each time.
struct FreeArray {
  size_t target = 0;
  AddressRange part;     // range in which it varies: a multiple of the unit
  AddressRange segment;  // range it may fill: from a pointer of the kernel up to the next one
  uint64_t unit = 1;     // bytes
  Pointee pointee = Pointee::kUnknown;
  uint64_t record_bytes = 0;            // for kRecord
  ElementType type = ElementType::kU8;  // a unit's type, for people
};

// Arrays that come in free order, one or several. The results of the app and of every replay agree in all layouts; a
// difference in a certain layout is wrong, a difference in the others only may be right.
struct FoundLayout {
  RecordLayout layout;
  bool is_certain = false;
  // Records around it that the dispatch changed as well, though every replay had them in the same places: hardware
  // starts the same threads first each time.
  uint64_t before = 0, behind = 0;
};

RecordLayout with_surroundings(const FoundLayout& found);

// The values of array `index` are numbers of records of another: which record each of them names is the same each time.
struct FoundLink {
  RecordColumn index;  // one number each
  uint64_t count = 0;
  RecordColumn record;
  uint64_t records = 0;
};

struct FoundOrders {
  std::vector<FoundLayout> layouts;
  std::vector<FoundLink> links;
};

// `sources`: the app's result first, then each replay. An array too long to be searched has no layout.
Result<FoundOrders> find_orders(const std::vector<FreeArray>& arrays, const std::vector<ContentSource>& sources);

// More is not searched for records.
inline constexpr uint64_t kMostSearchedBytes = 32u << 20;

// The records that `index` names, in its order; none if one of its numbers names no record.
Result<std::optional<Fingerprint>> named_records(const ContentSource& source, const FoundLink& link);

}  // namespace kernloop::replay
