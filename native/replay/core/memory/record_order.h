// An input array whose records change places as wholes (derived_inputs.h): each stays as the app wrote it, as a block
// of quantised values with its scale must. The same seed gives the same order on every machine.
#pragma once

#include <list>

#include "replay/core/memory/derived_array.h"

namespace kernloop::replay {

// Bytes of one record at most: two of them are in memory at a time.
inline constexpr uint64_t kMostRecordBytes = uint64_t{32} << 20;

class RecordOrder {
 public:
  // Records change places within windows of this many bytes, which is the memory that all of them together take.
  static constexpr uint64_t kWindowBytes = uint64_t{64} << 20;
  // In a window, groups of this many bytes change places, and the records of each group among themselves: copying then
  // meets a cache, in place of a miss for each record.
  static constexpr uint64_t kGroupBytes = uint64_t{128} << 10;
  static constexpr uint64_t kLeastGroup = 64;  // records; fewer, and so larger ones, change places one by one

  explicit RecordOrder(ContentCache& cache, uint64_t window_bytes = kWindowBytes, uint64_t group_bytes = kGroupBytes)
      : cache_(cache), window_bytes_(window_bytes), group_bytes_(group_bytes) {}

  // Writes the records, or their parts, that are in `bytes`: a chunk of the array's target at `offset`.
  Status put(const InputArray& array, const Target& target, uint64_t seed, uint64_t offset, std::span<uint8_t> bytes);

  struct Moved {
    uint64_t records = 0;  // places that hold another content
    uint64_t digest = 0;   // of the whole content in this order
  };
  Result<Moved> moved(const InputArray& array, const Target& target, uint64_t seed);

 private:
  // Numbers of records in `parts`, counted from 0.
  struct Range {
    uint64_t first = 0, end = 0;
  };

  // How the records are divided: all windows are of about one size, so that none is left with a single record, which
  // could not move.
  struct Division {
    uint64_t records = 0, windows = 1;
    Range range_of(uint64_t window) const { return {records * window / windows, records * (window + 1) / windows}; }
    uint64_t window_of(uint64_t record) const;
  };

  struct Window {
    size_t target = 0;
    uint64_t base = 0, number = 0;  // of the array, and among its windows
    Range range;
    Buffer records;  // as captured
    std::optional<uint64_t> seed;
    std::vector<uint32_t> order;  // by place: the record that comes there
    uint64_t record_bytes = 0;

    std::span<const uint8_t> captured(uint64_t record) const;
    std::span<const uint8_t> ordered(uint64_t record) const;
    uint64_t bytes() const { return records.size() + order.size() * sizeof order[0]; }
  };

  Division division_of(const InputArray& array) const;
  Result<const Window*> load(const InputArray& array, const Target& target, uint64_t seed, const Division& division,
                             uint64_t number);
  Result<Window> read(const InputArray& array, const Target& target, Range range) const;
  void shuffle(Window& window, uint64_t seed) const;

  ContentCache& cache_;
  uint64_t window_bytes_, group_bytes_;
  std::list<Window> windows_;  // the last used first
};

}  // namespace kernloop::replay
