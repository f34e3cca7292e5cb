// The records of a map as text, or as one file of raw values a column, with the origin of each record: block, unit
// (thread or warp in the block), record.
#pragma once

#include "trace/scan.h"

namespace kernloop::trace {

enum class Format { kCsv, kJsonLines, kColumns };

struct Exported {
  std::vector<std::filesystem::path> files;
  uint64_t rows = 0;     // written
  uint64_t skipped = 0;  // empty ones
};

// `<folder>/<map>.csv`, `<map>.jsonl`, or `<map>.<column>.u32|.u64` (little endian).
Result<Exported> export_map(const Trace& trace, size_t map, Format format, const std::filesystem::path& folder,
                            bool skip_empty);

}  // namespace kernloop::trace
