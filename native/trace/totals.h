// Counts (bytes, instructions) summed up: over all, and by block.
#pragma once

#include "trace/scan.h"

namespace kernloop::trace {

struct Total {
  std::string name;
  uint64_t sum = 0;        // modulo 2^64
  bool is_beyond = false;  // beyond 2^64
  uint64_t units = 0;      // threads or warps with a count that is not 0
  uint64_t least_block = 0, most_block = 0;
};

Result<std::vector<Total>> totals(const Trace& trace, size_t map);

}  // namespace kernloop::trace
