#include "verdict/values/record_multiset.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace kernloop::replay {

namespace {

constexpr uint64_t kBatchBytes = 1u << 20;

// Finalizers of MurmurHash3 and of Stafford's variant 13: each a bijection of 64 bits.
uint64_t mix_a(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}
uint64_t mix_b(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

Fingerprint fingerprint(Bytes bytes, const Fingerprint& before) {
  // The length is included: zeros after a record are noticed.
  Fingerprint print{mix_a(before.a + bytes.size() + 0x9e3779b97f4a7c15ull), mix_b(before.b ^ (bytes.size() + 1))};
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
    print.a = mix_a(print.a ^ word);
    print.b = mix_b(print.b + word + 0x2545f4914f6cdd1dull);
  }
  return print;
}

Result<Fingerprint> multiset_of(const ContentSource& source, const RecordLayout& layout) {
  uint64_t widest = 1;
  for (const RecordColumn& column : layout.columns) widest = std::max(widest, column.stride);
  const uint64_t batch = std::max<uint64_t>(1, kBatchBytes / widest);
  Fingerprint sum;
  auto span = layout.spans.begin();
  std::vector<Buffer> parts(layout.columns.size());
  for (uint64_t first = 0; first < layout.count; first += batch) {
    const uint64_t count = std::min(batch, layout.count - first);
    for (size_t c = 0; c < parts.size(); ++c) {
      const RecordColumn& column = layout.columns[c];
      parts[c].resize(count * column.stride);
      if (auto read = source(column.target, column.offset + first * column.stride, parts[c]); !read)
        return read.error();
    }
    for (uint64_t i = 0; i < count; ++i) {
      Fingerprint record;
      for (size_t c = 0; c < parts.size(); ++c) {
        const uint64_t stride = layout.columns[c].stride;
        record = fingerprint(Bytes(parts[c]).subspan(i * stride, stride), record);
      }
      while (span != layout.spans.end() && span->end <= first + i) ++span;
      if (span != layout.spans.end() && span->begin <= first + i) {
        uint8_t place[8];
        std::memcpy(place, &span->begin, sizeof place);
        record = fingerprint(place, record);
      }
      sum.add(record);
    }
  }
  return sum;
}

Result<bool> agree(const std::vector<ContentSource>& sources, const RecordLayout& layout) {
  std::optional<Fingerprint> first;
  for (const ContentSource& source : sources) {
    const auto print = multiset_of(source, layout);
    if (!print) return print.error();
    if (first && *first != *print) return false;
    first = *print;
  }
  return true;
}

}  // namespace kernloop::replay
