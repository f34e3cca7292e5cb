// Reads a capture, as hostile: sizes are bounded by the manifest, every digest is verified on every read.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/chunks/pack.h"
#include "archive/manifest/manifest.h"
#include "archive/store/chunk_store.h"

namespace kernloop::archive {

// A content with the data to read it and to name it in an error.
struct ContentView {
  const Content* content = nullptr;
  uint64_t size = 0;
  std::string what;  // "region r0 (pre)"
};

ContentView pre_of(const Region& region);
ContentView post_of(const Region& region);
ContentView pre_of(const ModuleVariable& variable);
ContentView post_of(const ModuleVariable& variable);
ContentView content_of(const CodeObject& code_object);

class Reader {
 public:
  // Chunks are looked up in the capture itself, then in `stores`, in order.
  static Result<std::unique_ptr<Reader>> open(const std::filesystem::path& directory,
                                              const std::vector<std::filesystem::path>& stores);

  const Manifest& manifest() const { return manifest_; }
  const Digest& capture_digest() const { return capture_digest_; }  // digest of capture.json's bytes
  const std::filesystem::path& directory() const { return directory_; }

  uint64_t chunk_size(const ContentView& view, size_t index) const;
  // `raw` must have chunk_size(). Thread-safe.
  Status read_chunk(const ContentView& view, size_t index, std::span<uint8_t> raw) const;
  // Chunk by chunk, in order; `raw` is valid during the call.
  Status for_each_chunk(const ContentView& view, const std::function<Status(uint64_t offset, Bytes raw)>& visit) const;
  // Whole content, for small ones: refuses more than `max_bytes`.
  Result<Buffer> read_all(const ContentView& view, uint64_t max_bytes) const;
  // Whether the code object's bytes are those that its digest names; one chunk of them is in memory at a time.
  Status verify_code_object(const CodeObject& code_object) const;
  // The code object's bytes; its identity is verified too.
  Result<Buffer> read_code_object(const CodeObject& code_object) const;

  // Stored bytes of a chunk, at the place where it was found; nullopt if it is nowhere.
  std::optional<uint64_t> stored_bytes(const Digest& digest) const;

 private:
  Reader() = default;
  std::filesystem::path directory_;
  Manifest manifest_;
  Digest capture_digest_;
  std::unique_ptr<PackReader> pack_;  // null when the capture has none
  std::vector<ChunkStore> stores_;
};

// Every content of a capture, once, in manifest order.
std::vector<ContentView> contents_of(const Manifest& manifest);

}  // namespace kernloop::archive
