#include "replay/core/permutation.h"

#include <algorithm>
#include <cstring>

namespace kernloop::replay {

namespace {

template <typename Bits>
std::vector<Bits> sorted(archive::Bytes bytes) {
  std::vector<Bits> values(bytes.size() / sizeof(Bits));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Bits));
  std::sort(values.begin(), values.end());
  return values;
}

template <typename Bits>
bool same_values(archive::Bytes a, archive::Bytes b) {
  return sorted<Bits>(a) == sorted<Bits>(b);
}

}  // namespace

Result<archive::Buffer> read_content(ContentCache& cache, const archive::ContentView& content, uint64_t offset,
                                     uint64_t size) {
  archive::Buffer bytes(size);
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  for (uint64_t done = 0; done < size;) {
    const uint64_t at = offset + done;
    const auto chunk = cache.chunk(content, at / chunk_bytes);
    if (!chunk) return chunk.error();
    const uint64_t from = at % chunk_bytes, piece = std::min(chunk->size() - from, size - done);
    std::memcpy(bytes.data() + done, chunk->data() + from, piece);
    done += piece;
  }
  return bytes;
}

bool is_permutation(ElementType type, archive::Bytes a, archive::Bytes b) {
  switch (size_of(type)) {
    case 1:
      return same_values<uint8_t>(a, b);
    case 2:
      return same_values<uint16_t>(a, b);
    case 4:
      return same_values<uint32_t>(a, b);
    default:
      return same_values<uint64_t>(a, b);
  }
}

}  // namespace kernloop::replay
