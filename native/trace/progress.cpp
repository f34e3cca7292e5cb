#include "trace/progress.h"

namespace kernloop::trace {

namespace {

// Calls end(first, last, count, slots) for every unit, and sample(clock, before) for every sample.
template <typename Sample, typename End>
Status each_unit(const Trace& trace, size_t map, const Field& clock_field, Sample sample, End end) {
  const Rows rows = rows_of(trace, map);
  uint64_t first = 0, last = 0, before = 0, count = 0;
  return scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint8_t* record = run.bytes + i * run.stride;
      if (!is_empty(record, run.stride)) {
        const uint64_t clock = value_at(record, clock_field);
        sample(clock, count > 0 && clock < before);
        first = count ? std::min(first, clock) : clock;
        last = count ? std::max(last, clock) : clock;
        before = clock;
        ++count;
      }
      if ((run.row + i + 1) % rows.records != 0) continue;
      if (count > 0) end(first, last, count, rows.records);
      count = 0;
    }
    return Unit{};
  });
}

}  // namespace

Result<Progress> progress(const Trace& trace, size_t map, size_t clock, uint32_t bins) {
  const Field& clock_field = trace.maps[map].fields[clock];
  Progress result;
  const Status found = each_unit(
      trace, map, clock_field,
      [&](uint64_t at, bool is_before) {
        result.first_clock = result.samples ? std::min(result.first_clock, at) : at;
        result.last_clock = std::max(result.last_clock, at);
        result.unordered += is_before;
        ++result.samples;
      },
      [&](uint64_t, uint64_t, uint64_t count, uint64_t slots) {
        result.least_samples = result.units ? std::min(result.least_samples, count) : count;
        result.most_samples = std::max(result.most_samples, count);
        result.full_units += count == slots;
        ++result.units;
      });
  if (!found) return found.error();
  result.interval = (result.last_clock - result.first_clock) / bins + 1;
  result.samples_in.resize(bins);
  result.active_in.resize(bins);
  std::vector<int64_t> changes(bins + size_t{1});
  // A file that changes meanwhile must not lead astray.
  const auto bin = [&](uint64_t at) {
    return std::min<uint64_t>((at - result.first_clock) / result.interval, bins - 1);
  };
  const Status counted = each_unit(
      trace, map, clock_field, [&](uint64_t at, bool) { ++result.samples_in[bin(at)]; },
      [&](uint64_t first, uint64_t last, uint64_t, uint64_t) {
        ++changes[bin(first)];
        --changes[bin(last) + 1];
      });
  if (!counted) return counted.error();
  int64_t active = 0;
  for (uint32_t i = 0; i < bins; ++i) result.active_in[i] = static_cast<uint64_t>(active += changes[i]);
  return result;
}

}  // namespace kernloop::trace
