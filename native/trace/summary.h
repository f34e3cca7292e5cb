// Summaries of a map's columns, from one pass over every field of every record.
#pragma once

#include "trace/scan.h"

namespace kernloop::trace {

struct ColumnSummary {
  std::string name;
  uint64_t sum = 0;  // modulo 2^64
  uint64_t least = 0, most = 0;
  uint64_t nonzero = 0;
};

Result<std::vector<ColumnSummary>> summarise(const Trace& trace, size_t map);

}  // namespace kernloop::trace
