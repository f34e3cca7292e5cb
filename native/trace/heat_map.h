// Accesses to memory, counted by page and by interval of time.
#pragma once

#include <map>

#include "trace/scan.h"

namespace kernloop::trace {

struct HeatMap {
  uint64_t page_bytes = 0;  // doubled if there are too many pages for the limit
  uint64_t first_clock = 0, last_clock = 0;
  uint64_t interval = 1;  // clocks of a bin
  uint64_t accesses = 0, empty = 0;
  std::map<uint64_t, std::vector<uint64_t>> pages;  // address of the page: accesses a bin
};

struct HeatMapOptions {
  size_t clock = 0, address = 1;  // fields
  uint64_t page_bytes = 1u << 16;
  uint32_t bins = 128;
  uint32_t most_pages = 4096;
};

Result<HeatMap> heat_map(const Trace& trace, size_t map, const HeatMapOptions& options);

}  // namespace kernloop::trace
