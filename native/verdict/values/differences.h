// Exact byte differences between expected and actual memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/bytes.h"

namespace kernloop::replay {

// Calls `run(offset, size)` for every maximal run of differing bytes. Equal spans cost one memcmp.
template <typename Run>
void for_each_difference(Bytes expected, Bytes actual, const Run& run) {
  constexpr size_t kBlock = 4096;
  const size_t size = std::min(expected.size(), actual.size());
  const uint8_t *a = expected.data(), *b = actual.data();
  if (size == 0 || std::memcmp(a, b, size) == 0) return;
  size_t run_begin = 0, run_end = 0;  // open run; empty when equal
  const auto close = [&] {
    if (run_end > run_begin) run(run_begin, run_end - run_begin);
  };
  for (size_t block = 0; block < size; block += kBlock) {
    const size_t end = std::min(size, block + kBlock);
    if (std::memcmp(a + block, b + block, end - block) == 0) continue;
    for (size_t i = block; i < end; ++i) {
      if (a[i] == b[i]) continue;
      if (i != run_end || run_end == run_begin) {
        close();
        run_begin = i;
      }
      run_end = i + 1;
    }
  }
  close();
}

uint64_t count_differences(Bytes expected, Bytes actual);

struct Difference {
  uint64_t offset = 0;
  uint64_t bytes = 0;                   // extent
  uint64_t differing_bytes = 0;         // within that extent
  Buffer first_expected, first_actual;  // up to 16 bytes from `offset` on
  Buffer lead;  // the equal bytes before them, from the last multiple of 8 on: of the element that differs
};

// Distribution of differing bytes over a target, in a bounded number of bins of equal size.
class DifferenceMap {
 public:
  static constexpr uint64_t kMostBins = 1024, kLeastBytes = 4;

  explicit DifferenceMap(uint64_t size);
  void add(uint64_t offset, uint64_t bytes);
  void add(const DifferenceMap& other);  // must have the same size

  uint64_t bin_bytes() const { return bin_bytes_; }
  const std::vector<uint64_t>& bins() const { return bins_; }  // differing bytes; empty if none differ

 private:
  uint64_t size_, bin_bytes_;
  std::vector<uint64_t> bins_;
};

// Collects the differences of one target: the first few in detail, the rest in totals. Runs arrive in ascending order.
class DifferenceCollector {
 public:
  static constexpr size_t kListed = 64;

  explicit DifferenceCollector(uint64_t size = 0) : map_(size) {}
  static constexpr uint64_t kMergeGap =
      8;  // runs closer than this are one range: a wrong float is one difference, not three

  // Compares a piece at `offset` of the target.
  void compare(uint64_t offset, Bytes expected, Bytes actual);

  uint64_t differing_bytes() const { return differing_bytes_; }
  uint64_t ranges() const { return ranges_; }
  const std::vector<Difference>& listed() const { return listed_; }
  const DifferenceMap& map() const { return map_; }

 private:
  DifferenceMap map_;
  std::vector<Difference> listed_;
  uint64_t ranges_ = 0, differing_bytes_ = 0, last_end_ = 0;
};

}  // namespace kernloop::replay
