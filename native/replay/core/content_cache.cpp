#include "replay/core/content_cache.h"

#include <utility>

namespace kernloop::replay {

Result<archive::Bytes> ContentCache::chunk(const archive::ContentView& view, size_t index) {
  const uint64_t size = reader_.chunk_size(view, index);
  const archive::ChunkName& name = view.content->chunks[index];
  if (!name) return archive::Bytes(zeros_).first(size);
  // A digest of another size than asked for is damage, which reader_ reports.
  if (const auto found = kept_.find(*name); found != kept_.end() && found->second.size() == size) {
    return archive::Bytes(found->second);
  }
  auto raw = ahead_.take(view, index, [&](const archive::Digest& digest) { return kept_.contains(digest); });
  if (!raw) return raw.error();
  if (size > budget_) {
    archive::Buffer& scratch = scratch_[next_scratch_];
    next_scratch_ ^= 1;
    ahead_.recycle(std::exchange(scratch, std::move(*raw)));
    return archive::Bytes(scratch);
  }
  budget_ -= size;
  return archive::Bytes(kept_.insert_or_assign(*name, std::move(*raw)).first->second);
}

}  // namespace kernloop::replay
