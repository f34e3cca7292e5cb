// Records in no order: arrays are told apart by what they hold, however it is arranged.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace kernloop::replay {

// 128 bits. Of a record they depend on every byte and its place; sums of them depend on which records there are and how
// often, and not on their order.
struct Fingerprint {
  uint64_t a = 0, b = 0;

  void add(const Fingerprint& other) { a += other.a, b += other.b; }
  bool operator==(const Fingerprint&) const = default;
};

// Of a record; `before` is that of the bytes in front of it, where it goes on elsewhere.
Fingerprint fingerprint(Bytes bytes, const Fingerprint& before = {});

// Fills `into` with the bytes of a target (an index) from an offset on.
using ContentSource = std::function<Status(size_t target, uint64_t offset, std::span<uint8_t> into)>;

// Where a part of each record lies: the one with index i at `offset + i * stride`, `stride` bytes.
struct RecordColumn {
  size_t target = 0;
  uint64_t offset = 0, stride = 0;
};

// Records from one index up to another.
struct RecordSpan {
  uint64_t begin = 0, end = 0;
  bool operator==(const RecordSpan&) const = default;
};

// Records of one part or several: arrays that one permutation orders.
struct RecordLayout {
  std::vector<RecordColumn> columns;
  uint64_t count = 0;
  // Where the order is free within each of these only: rows, cells, buckets. Sorted, disjoint, none empty; what lies
  // between them is one more. All is one where there are none.
  std::vector<RecordSpan> spans = {};
};

Result<Fingerprint> multiset_of(const ContentSource& source, const RecordLayout& layout);

// Whether all of them hold the same records.
Result<bool> agree(const std::vector<ContentSource>& sources, const RecordLayout& layout);

}  // namespace kernloop::replay
