// `.dmat`, the counted accesses that Neutrino's dmat makes of a trace: u64 pages, u64 clocks, the pages, and for each
// clock u64 clock, u64 n and n times u64 page, u32 count.
#pragma once

#include "trace/scan.h"

namespace kernloop::trace {

constexpr uint64_t kDmatPageBytes = 1u << 16;

struct Dmat {
  uint64_t pages = 0, clocks = 0;
  uint64_t pairs = 0;     // pairs of clock and page
  uint64_t accesses = 0;  // counted
  uint64_t first_clock = 0, last_clock = 0;
  uint64_t empty = 0;  // slots of the trace that no probe wrote: Neutrino's own counts them as page 0 at clock 0
};

// Checks every count against the size of the file, and every page against the list of pages.
Result<Dmat> read_dmat(const std::filesystem::path& path);

Result<Dmat> write_dmat(const Trace& trace, size_t map, size_t clock_field, size_t address_field,
                        const std::filesystem::path& output);

}  // namespace kernloop::trace
