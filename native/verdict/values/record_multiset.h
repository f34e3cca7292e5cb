// Records as a multiset: arrays are distinguished by the records that they hold, in any arrangement.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace kernloop::replay {

// 128-bit fingerprint. It depends on every byte of a record and its place; sums of fingerprints depend on which records
// there are and how often, and not on their order.
struct Fingerprint {
  uint64_t a = 0, b = 0;

  void add(const Fingerprint& other) { a += other.a, b += other.b; }
  bool operator==(const Fingerprint&) const = default;
};

// Fingerprint of a record; `before` is that of the preceding bytes, if the record continues at another place.
Fingerprint fingerprint(Bytes bytes, const Fingerprint& before = {});

// Fills `into` with the bytes of a target (an index) from an offset on.
using ContentSource = std::function<Status(size_t target, uint64_t offset, std::span<uint8_t> into)>;

// One part of each record: record i has `stride` bytes at `offset + i * stride`.
struct RecordColumn {
  size_t target = 0;
  uint64_t offset = 0, stride = 0;
};

// Records from one index up to another.
struct RecordSpan {
  uint64_t begin = 0, end = 0;
  bool operator==(const RecordSpan&) const = default;
};

// Records of one or several parts: several are arrays that one permutation orders.
struct RecordLayout {
  std::vector<RecordColumn> columns;
  uint64_t count = 0;
  // Spans within which the order is free: rows, cells, buckets. Sorted, disjoint, none empty; the bytes between two
  // spans are one more. Without spans, the whole array is one.
  std::vector<RecordSpan> spans = {};
};

Result<Fingerprint> multiset_of(const ContentSource& source, const RecordLayout& layout);

// Whether all of them hold the same records.
Result<bool> agree(const std::vector<ContentSource>& sources, const RecordLayout& layout);

}  // namespace kernloop::replay
