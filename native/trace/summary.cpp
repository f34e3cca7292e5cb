#include "trace/summary.h"

namespace kernloop::trace {

namespace {

// The compiler knows the stride of records of common sizes; 0 means any.
template <typename Value, uint32_t Stride>
void add(ColumnSummary& column, const Run& run, uint32_t offset) {
  const uint32_t stride = Stride ? Stride : run.stride;
  uint64_t sum = 0, nonzero = 0;
  Value least = static_cast<Value>(~Value{0}), most = 0;
  const uint8_t* at = run.bytes + offset;
  for (uint64_t i = 0; i < run.count; ++i, at += stride) {
    Value value;
    std::memcpy(&value, at, sizeof value);
    sum += value;
    nonzero += value != 0;
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  column.sum += sum;
  column.nonzero += nonzero;
  column.least = std::min<uint64_t>(column.least, least);
  column.most = std::max<uint64_t>(column.most, most);
}

template <typename Value>
void add_column(ColumnSummary& column, const Run& run, uint32_t offset) {
  switch (run.stride) {
    case 8:
      return add<Value, 8>(column, run, offset);
    case 16:
      return add<Value, 16>(column, run, offset);
    case 24:
      return add<Value, 24>(column, run, offset);
    case 32:
      return add<Value, 32>(column, run, offset);
    default:
      return add<Value, 0>(column, run, offset);
  }
}

}  // namespace

Result<std::vector<ColumnSummary>> summarise(const Trace& trace, size_t map) {
  const std::vector<Field>& fields = trace.maps[map].fields;
  std::vector<ColumnSummary> columns(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    columns[i].name = fields[i].name;
    columns[i].least = ~uint64_t{0};
  }
  const Status scanned = scan(trace, map, [&](const Run& run) -> Status {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].bytes == 4) {
        add_column<uint32_t>(columns[i], run, fields[i].offset);
      } else {
        add_column<uint64_t>(columns[i], run, fields[i].offset);
      }
    }
    return Unit{};
  });
  if (!scanned) return scanned.error();
  if (rows_of(trace, map).count() == 0) {
    for (ColumnSummary& column : columns) column.least = 0;
  }
  return columns;
}

}  // namespace kernloop::trace
