// Bytes that the captured dispatch overwrites without reading them: for any content before a launch, they end as the
// app left them. A replay may therefore begin with other values in them. That exposes a variant that leaves them alone,
// even if the app's dispatch wrote what memory held already (a kernel that a loop repeats).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verdict/events.h"
#include "verdict/expected_files.h"
#include "verdict/target.h"

namespace kernloop::replay {

// Sorted and disjoint, like all ranges below. `without`: bytes of `a` that are not in `b`; `intersection`: bytes in
// both.
std::vector<AddressRange> without(const std::vector<AddressRange>& a, const std::vector<AddressRange>& b);
std::vector<AddressRange> intersection(const std::vector<AddressRange>& a, const std::vector<AddressRange>& b);
uint64_t total_bytes(const std::vector<AddressRange>& ranges);

// Bytes that the dispatch wrote and no wave read, as offsets in each target.
std::vector<std::vector<AddressRange>> overwritten_by(const std::vector<Access>& accesses,
                                                      const std::vector<Target>& targets);
// Likewise all that it wrote, and all that it read.
std::vector<std::vector<AddressRange>> written_by(const std::vector<Access>& accesses,
                                                  const std::vector<Target>& targets);
std::vector<std::vector<AddressRange>> read_by(const std::vector<Access>& accesses, const std::vector<Target>& targets);

// A row of a selfcheck.json: `count` ranges of the same size at equal distances (rows of a tile, fields of records).
struct OverwrittenRow {
  uint64_t offset = 0, bytes = 0, count = 1, stride = 0;
};
// At most `most` rows, those with the most bytes; the others are left out, and stay unpoisoned.
std::vector<OverwrittenRow> fold(const std::vector<AddressRange>& ranges, size_t most);

// An `event` of each row of a target.
void emit_rows(ReplayEvent event, const Target& target, const std::vector<AddressRange>& ranges, EventSink& sink);

// Reads the lists `overwritten` and `untouched` (untouched.h) of a selfcheck.json into the targets; none if an older
// version wrote the file. VARYING_INVALID if it does not fit the capture.
Status read_overwritten(const std::filesystem::path& path, std::vector<Target>& targets,
                        const ExpectedFiles& expected = {});

// Bytes of a target that must end as the app left them for any content before, without those that `varying` leaves
// unjudged; and how many of these the app's dispatch left unchanged.
struct Rewritten {
  uint64_t bytes = 0, unchanged = 0;
};
Result<Rewritten> count_rewritten(ContentCache& cache, const Target& target, const std::vector<AddressRange>& unjudged);

}  // namespace kernloop::replay
