// Finds the dialect, of four, of a trace file: each is checked against the file's size and, if they are known, the maps
// of the probe file; mismatches are named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/layout.h"

namespace kernloop::trace {

// One dialect held against a file: the layout that it means, or why it cannot be it.
struct Fit {
  Dialect dialect;
  std::optional<Layout> layout;
  std::string reason;  // evidence for it, or the mismatch
};

struct Table {
  Header header;
  std::vector<RawSection> sections;
  uint64_t file_bytes = 0;
};

// One a dialect, in the order of kDialects. Without maps, facts that a dialect does not record are missing from the
// layout.
std::vector<Fit> fits_of(const Table& table, const std::vector<Map>* maps);

// The dialect that fits; the first of several that mean the same. TRACE_INVALID if none fits, TRACE_AMBIGUOUS if two
// differ.
Result<Layout> choose(const std::vector<Fit>& fits, std::optional<Dialect> wanted);

}  // namespace kernloop::trace
