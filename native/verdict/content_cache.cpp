#include "verdict/content_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kernloop::replay {

Result<Bytes> ContentCache::chunk(const archive::ContentView& view, size_t index) {
  const uint64_t size = reader_.chunk_size(view, index);
  const archive::ChunkName& name = view.content->chunks[index];
  if (!name) return Bytes(zeros_).first(size);
  // A digest of another size than asked for is damage, which reader_ reports.
  if (const auto found = kept_.find(*name); found != kept_.end() && found->second.size() == size) {
    return Bytes(found->second);
  }
  auto raw = ahead_.take(view, index, [&](const Digest& digest) { return kept_.contains(digest); });
  if (!raw) return raw.error();
  if (size > budget_) {
    Buffer& scratch = scratch_[next_scratch_];
    next_scratch_ ^= 1;
    ahead_.recycle(std::exchange(scratch, std::move(*raw)));
    return Bytes(scratch);
  }
  budget_ -= size;
  return Bytes(kept_.insert_or_assign(*name, std::move(*raw)).first->second);
}

archive::ChunkName ContentCache::hold(Buffer raw) {
  Digest name;
  ++held_;
  std::memcpy(name.bytes.data(), &held_, sizeof held_);
  kept_.insert_or_assign(name, std::move(raw));
  return name;
}

void ContentCache::let_go(const archive::ChunkName& name) {
  if (name) kept_.erase(*name);
}

Status read_content(ContentCache& cache, const archive::ContentView& content, uint64_t offset,
                    std::span<uint8_t> into) {
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  for (uint64_t done = 0; done < into.size();) {
    const uint64_t at = offset + done;
    const auto chunk = cache.chunk(content, at / chunk_bytes);
    if (!chunk) return chunk.error();
    const uint64_t from = at % chunk_bytes, piece = std::min(chunk->size() - from, into.size() - done);
    std::memcpy(into.data() + done, chunk->data() + from, piece);
    done += piece;
  }
  return Unit{};
}

Result<Buffer> read_content(ContentCache& cache, const archive::ContentView& content, uint64_t offset, uint64_t size) {
  Buffer bytes(size);
  if (auto read = read_content(cache, content, offset, bytes); !read) return read.error();
  return bytes;
}

}  // namespace kernloop::replay
