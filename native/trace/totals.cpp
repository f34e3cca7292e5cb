#include "trace/totals.h"

namespace kernloop::trace {

Result<std::vector<Total>> totals(const Trace& trace, size_t map) {
  const std::vector<Field>& fields = trace.maps[map].fields;
  const Rows rows = rows_of(trace, map);
  std::vector<Total> totals(fields.size());
  std::vector<uint64_t> of_block(fields.size()), of_unit(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    totals[i].name = fields[i].name;
    totals[i].least_block = rows.count() ? ~uint64_t{0} : 0;
  }
  const Status scanned = scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t at = 0; at < run.count; ++at) {
      const uint8_t* record = run.bytes + at * run.stride;
      const uint64_t next = run.row + at + 1;
      const bool ends_unit = next % rows.records == 0, ends_block = next % rows.of_block() == 0;
      for (size_t i = 0; i < fields.size(); ++i) {
        const uint64_t value = value_at(record, fields[i]);
        totals[i].is_beyond |= __builtin_add_overflow(totals[i].sum, value, &totals[i].sum);
        of_block[i] += value;
        of_unit[i] |= value;
        if (ends_unit) totals[i].units += of_unit[i] != 0, of_unit[i] = 0;
        if (!ends_block) continue;
        totals[i].least_block = std::min(totals[i].least_block, of_block[i]);
        totals[i].most_block = std::max(totals[i].most_block, of_block[i]);
        of_block[i] = 0;
      }
    }
    return Unit{};
  });
  if (!scanned) return scanned.error();
  return totals;
}

}  // namespace kernloop::trace
