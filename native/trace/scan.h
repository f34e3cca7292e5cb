// The records of one map, in runs that are contiguous in memory.
#pragma once

#include <algorithm>
#include <cstring>

#include "trace/trace_file.h"

namespace kernloop::trace {

constexpr size_t kScanBytes = 256u << 10;  // held at a time: what the nearest caches hold

// Numbering of a map's records: row = (block * units + unit) * records + record.
struct Rows {
  uint64_t blocks = 0, units = 0;  // units per block
  uint64_t records = 0;            // records per unit
  uint64_t count() const { return blocks * units * records; }
  uint64_t of_block() const { return units * records; }
};

struct Run {
  uint64_t row = 0;  // row of its first record
  uint64_t count = 0;
  const uint8_t* bytes = nullptr;
  uint32_t stride = 0;
};

inline uint64_t value_at(const uint8_t* record, const Field& field) {
  if (field.bytes == 4) {
    uint32_t value;
    std::memcpy(&value, record + field.offset, sizeof value);
    return value;
  }
  uint64_t value;
  std::memcpy(&value, record + field.offset, sizeof value);
  return value;
}

// A slot that no probe wrote: memory is cleared before the launch, and nothing counts the records.
inline bool is_empty(const uint8_t* record, uint32_t bytes) {
  return std::all_of(record, record + bytes, [](uint8_t byte) { return byte == 0; });
}

inline Rows rows_of(const Trace& trace, size_t map) {
  const Section& section = trace.layout.sections[map];
  const uint64_t records = section.unit_bytes.value_or(0) / trace.maps[map].record_bytes();
  return {trace.layout.blocks, section.units, records};
}

// Calls visit(Run) for all of them in order, until it returns an error.
template <typename Visit>
Status scan(const Trace& trace, size_t map, Visit visit) {
  const Section& section = trace.layout.sections[map];
  const Rows rows = rows_of(trace, map);
  if (rows.count() == 0) return Unit{};
  const uint32_t stride = trace.maps[map].record_bytes();
  const uint64_t unit_bytes = *section.unit_bytes;
  // If a unit ends with bytes of no record, each unit is read by itself.
  const bool is_dense = unit_bytes == rows.records * stride;
  const uint64_t pieces = is_dense ? 1 : rows.blocks * rows.units;
  const uint64_t of_piece = is_dense ? rows.count() : rows.records;
  const uint64_t most = std::max<uint64_t>(1, kScanBytes / stride);
  std::vector<uint8_t> buffer(std::min(most, of_piece) * stride);
  for (uint64_t piece = 0; piece < pieces; ++piece) {
    for (uint64_t done = 0; done < of_piece;) {
      const uint64_t count = std::min(most, of_piece - done);
      const std::span<uint8_t> bytes(buffer.data(), count * stride);
      if (auto read = trace.file->read(section.offset + piece * unit_bytes + done * stride, bytes); !read) return read;
      if (Status visited = visit(Run{piece * rows.records + done, count, buffer.data(), stride}); !visited)
        return visited;
      done += count;
    }
  }
  return Unit{};
}

}  // namespace kernloop::trace
