// Progress of threads or warps over time, from a map of which each keeps several moments.
#pragma once

#include "trace/scan.h"

namespace kernloop::trace {

struct Progress {
  uint64_t first_clock = 0, last_clock = 0;
  uint64_t interval = 1;  // clocks of a bin
  uint64_t samples = 0;
  uint64_t units = 0;  // threads or warps with a sample
  uint64_t full_units =
      0;  // threads or warps with every slot written: later moments are not in the trace, or in a neighbour's slots
  uint64_t unordered = 0;                        // samples earlier than the preceding one
  uint64_t least_samples = 0, most_samples = 0;  // for units that have any
  std::vector<uint64_t> samples_in;              // a bin
  std::vector<uint64_t> active_in;               // units between their first and last sample
};

Result<Progress> progress(const Trace& trace, size_t map, size_t clock_field, uint32_t bins);

}  // namespace kernloop::trace
