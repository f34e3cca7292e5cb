// Ranges whose values differ from launch to launch (the order of atomics): recorded as elements with the values seen,
// compared as numbers; or as records in any order, if every replay gave the same values in another order
// (verdict/free_order.h); or as bytes that cannot be judged.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
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

// `count` consecutive elements: each with the least and the greatest value seen and the interval that passes; or all of
// them in any order; or places and links of a structure whose shape follows the order of waves, of which nothing is
// known.
struct VaryingRange {
  bool is_variable = false;
  std::string target;
  uint64_t offset = 0;
  ElementType type = ElementType::kF32;
  std::vector<Number> min, max;
  uint64_t permuted = 0;  // elements in any order: then without min and max
  // Records of permuted ranges. None if the file's version did not record them; empty if there were too many.
  std::optional<std::vector<RecordEntry>> records = std::nullopt;
  std::optional<IndexedRecords> indexes = std::nullopt;
  std::vector<Number> low = {}, high = {};  // bounds that pass; none in a file of earlier versions: see within_spread
  uint64_t order_dependent = 0;             // elements that are not judged: then without all of these

  uint64_t count() const { return permuted > 0 ? permuted : order_dependent > 0 ? order_dependent : min.size(); }
  uint64_t bytes() const { return count() * size_of(type); }
  bool passes(size_t element, Number value) const;
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
