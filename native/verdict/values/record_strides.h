// Finds the record length of an array from its arrangements alone: bytes that came in another order each time came in
// whole records.
#pragma once

#include <vector>

#include "base/bytes.h"

namespace kernloop::replay {

inline constexpr uint64_t kLongestRecord = 256;

// The same bytes as the app and several replays left them: all of one size.
struct Arrangements {
  std::vector<Buffer> samples;  // the app's first
  uint64_t begin = 0, end = 0;  // the part in which they differ; around it they are equal
};

struct Stride {
  uint64_t bytes = 0;
  uint64_t begin = 0;  // begin of the first record that holds a byte of the differing part
  uint64_t count = 0;  // up to the last such record
};

// Every multiple of `unit` up to kLongestRecord of which each sample holds the same records, ascending. If records of
// that length may begin at several places, the place that fits an array from `origin` on (which may be before the
// bytes) is taken. Begin and end are multiples of the unit.
std::vector<Stride> consistent_strides(const Arrangements& seen, uint64_t unit, int64_t origin);

// Strides of which no other one is a multiple.
std::vector<Stride> longest_of(const std::vector<Stride>& strides);

// Arrangements that differ from each other.
size_t distinct_arrangements(const Arrangements& seen);

}  // namespace kernloop::replay
