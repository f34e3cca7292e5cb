// Ranges whose values differ from launch to launch (the order of atomics): recorded as elements with the values seen,
// compared as numbers; or as records in any order, if every replay gave the same values in another order
// (verdict/free_order.h); or as bytes that cannot be judged.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "verdict/expected_files.h"
#include "verdict/target.h"
#include "verdict/values/address_range.h"
#include "verdict/values/element_type.h"
#include "verdict/values/record_multiset.h"

namespace kernloop::replay {

// Part of a layout of records in free order (verdict/values/order_search.h): those with the same `order` in a file go
// together.
struct RecordEntry {
  uint64_t bytes = 0;   // size of one record
  uint64_t offset = 0;  // in the target
  uint64_t count = 0;
  uint64_t order = 0;
  bool certain = false;
  uint64_t before = 0, behind = 0;     // records around them that may belong to them
  std::vector<RecordSpan> spans = {};  // see RecordLayout; recorded once for ranges that go together
};

// The values are numbers of records of another array.
struct IndexedRecords {
  bool is_variable = false;
  std::string target;
  uint64_t offset = 0, bytes = 0, count = 0;
  uint64_t index_offset = 0, index_bytes = 0, index_count = 0;  // in the range's own target
};

// Elements compared as numbers.
struct NumberIntervals {
  struct Interval {
    Number low, high;
  };
  std::vector<Interval> seen;          // the least and the greatest value of each element
  std::vector<Interval> passing = {};  // as many; none in a file of earlier versions: see within_spread

  bool passes(size_t element, Number value) const;
};

// The same elements in any order.
struct FreeElements {
  uint64_t count = 0;
  // Records of these elements. None if the file's version did not record them; empty if there were too many.
  std::optional<std::vector<RecordEntry>> records = std::nullopt;
  std::optional<IndexedRecords> indexes = std::nullopt;
};

// Places and links of a structure whose shape follows the order of waves: nothing is known of these elements, and
// they are not judged.
struct OrderDependentElements {
  uint64_t count = 0;
};

// Consecutive elements of one type, and what is known of their values.
struct VaryingRange {
  bool is_variable = false;
  std::string target;
  uint64_t offset = 0;
  ElementType type = ElementType::kF32;
  std::variant<NumberIntervals, FreeElements, OrderDependentElements> values = {};

  // Null if the elements are of another kind.
  const NumberIntervals* intervals() const { return std::get_if<NumberIntervals>(&values); }
  NumberIntervals* intervals() { return std::get_if<NumberIntervals>(&values); }
  const FreeElements* free_elements() const { return std::get_if<FreeElements>(&values); }
  FreeElements* free_elements() { return std::get_if<FreeElements>(&values); }
  bool is_order_dependent() const { return std::holds_alternative<OrderDependentElements>(values); }

  uint64_t count() const;
  uint64_t bytes() const { return count() * size_of(type); }
};

// Finite, and outside the values seen by no more than their width. An element that never varied has no width.
bool within_spread(Number value, Number min, Number max);

archive::Json to_json(const VaryingRange& range);

// The `varying` list of a selfcheck.json. Ranges must be within the targets they name.
Result<std::vector<VaryingRange>> read_varying(const std::filesystem::path& path, const std::vector<Target>& targets,
                                               const ExpectedFiles& expected = {});

// For the ranges of `target` without free order: the bytes whose values are acceptable now, sorted; and how many bytes
// were judged as numbers. Bytes that cannot be judged are among the accepted.
struct AcceptedBytes {
  std::vector<AddressRange> accepted;  // offsets in the target
  uint64_t judged_bytes = 0;
};
Result<AcceptedBytes> accept_varying(Memory& memory, const Target& target, const std::vector<VaryingRange>& ranges);

// Offsets in `target` that cannot be judged: sorted, disjoint.
std::vector<AddressRange> unjudged_in(const Target& target, const std::vector<VaryingRange>& ranges);

// Whether *pre* itself would pass all ranges of `target`, though the dispatch changed something there: then a variant
// that leaves them alone passes as well. If bytes began with other values, `before` supplies those.
Result<bool> passes_unchanged(ContentCache& cache, const std::vector<Target>& targets, size_t target,
                              const std::vector<VaryingRange>& ranges, const Overlay& before = {});

}  // namespace kernloop::replay
