// Decoded chunks of a capture, kept while they fit into a budget: restoring and comparing read the same chunks over and
// over.
#pragma once

#include <span>
#include <unordered_map>

#include "archive/capture/reader.h"
#include "verdict/read_ahead.h"

namespace kernloop::replay {

class ContentCache {
 public:
  static constexpr uint64_t kUsualBudget = uint64_t{1} << 30;

  ContentCache(const archive::Reader& reader, uint64_t budget_bytes)
      : reader_(reader), budget_(budget_bytes), zeros_(reader.manifest().chunk_bytes), ahead_(reader) {}

  // Valid until the next call but one: chunks that did not fit alternate between two scratch buffers, so that two can
  // be compared.
  Result<Bytes> chunk(const archive::ContentView& view, size_t index);
  // A chunk of this process's own under a unique name, outside the budget, until it is let go.
  archive::ChunkName hold(Buffer raw);
  void let_go(const archive::ChunkName& name);
  const archive::Reader& reader() const { return reader_; }

 private:
  const archive::Reader& reader_;
  uint64_t budget_;
  Buffer zeros_;
  Buffer scratch_[2];
  int next_scratch_ = 0;
  uint64_t held_ = 0;  // held so far
  std::unordered_map<Digest, Buffer, DigestHash> kept_;
  ReadAhead ahead_;
};

// Bytes [offset, offset + into.size()) of a content.
Status read_content(ContentCache& cache, const archive::ContentView& content, uint64_t offset, std::span<uint8_t> into);
Result<Buffer> read_content(ContentCache& cache, const archive::ContentView& content, uint64_t offset, uint64_t size);

}  // namespace kernloop::replay
