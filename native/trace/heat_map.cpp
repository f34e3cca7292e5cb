#include "trace/heat_map.h"

#include <unordered_set>

namespace kernloop::trace {

namespace {

// First pass: the ranges of addresses and times.
Status find_extent(const Trace& trace, size_t map, const HeatMapOptions& options, HeatMap& result) {
  const Field& clock_field = trace.maps[map].fields[options.clock];
  const Field& address_field = trace.maps[map].fields[options.address];
  std::unordered_set<uint64_t> pages;
  bool is_first = true;
  Status scanned = scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint8_t* record = run.bytes + i * run.stride;
      if (is_empty(record, run.stride)) {
        ++result.empty;
        continue;
      }
      const uint64_t clock = value_at(record, clock_field);
      result.first_clock = is_first ? clock : std::min(result.first_clock, clock);
      result.last_clock = std::max(result.last_clock, clock);
      is_first = false;
      ++result.accesses;
      pages.insert(value_at(record, address_field) & ~(result.page_bytes - 1));
      while (pages.size() > options.most_pages) {
        result.page_bytes *= 2;
        std::unordered_set<uint64_t> coarser;
        for (const uint64_t page : pages) coarser.insert(page & ~(result.page_bytes - 1));
        pages = std::move(coarser);
      }
    }
    return Unit{};
  });
  for (const uint64_t page : pages) result.pages[page & ~(result.page_bytes - 1)];
  return scanned;
}

}  // namespace

Result<HeatMap> heat_map(const Trace& trace, size_t map, const HeatMapOptions& options) {
  HeatMap result;
  result.page_bytes = options.page_bytes;
  if (const Status found = find_extent(trace, map, options, result); !found) return found.error();
  result.interval = (result.last_clock - result.first_clock) / options.bins + 1;
  for (auto& [page, counts] : result.pages) counts.resize(options.bins);
  const Field& clock_field = trace.maps[map].fields[options.clock];
  const Field& address_field = trace.maps[map].fields[options.address];
  const Status counted = scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint8_t* record = run.bytes + i * run.stride;
      if (is_empty(record, run.stride)) continue;
      const uint64_t bin = (value_at(record, clock_field) - result.first_clock) / result.interval;
      const auto page = result.pages.find(value_at(record, address_field) & ~(result.page_bytes - 1));
      if (page == result.pages.end() || bin >= options.bins) {
        return Error{"IO_ERROR", trace.file->path().string() + ": it changed while it was read",
                     "analyse it once it is written"};
      }
      ++page->second[bin];
    }
    return Unit{};
  });
  if (!counted) return counted.error();
  return result;
}

}  // namespace kernloop::trace
