// A chunk: up to `chunk_bytes` of raw content, named by its SHA-256, stored raw or zstd-compressed. All-zero chunks
// have no name.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"

namespace kernloop::archive {

inline constexpr uint64_t kChunkBytes = 4u << 20;
inline constexpr uint64_t kMaxChunkBytes = 64u << 20;  // largest size that a reader accepts from a manifest

enum class Encoding : uint32_t { kRaw = 0, kZstd = 1 };

using ChunkName = std::optional<Digest>;  // nullopt: all zero

// The content of a region, a variable or a code object. The manifest knows its size; the last chunk may be shorter.
struct Content {
  std::vector<ChunkName> chunks;
  bool operator==(const Content&) const = default;
};

struct EncodedChunk {
  Encoding encoding = Encoding::kRaw;
  uint32_t raw_bytes = 0;
  Buffer compressed;  // empty when raw
  Bytes stored(Bytes raw) const { return encoding == Encoding::kRaw ? raw : Bytes(compressed); }
};

// Compresses only if a few samples of the chunk show that it pays.
EncodedChunk encode_chunk(Bytes raw);

// Fills exactly `raw`; anything else in `stored` (other length, garbage, trailing frames) is an error.
Status decode_chunk(Encoding encoding, Bytes stored, std::span<uint8_t> raw);

// Upper bound of the stored form of a chunk of that raw size: the most that a reader loads.
uint64_t max_stored_bytes(uint64_t raw_bytes);

// Raw size of a chunk of `stored_bytes` that begins like this; nullopt if the beginning does not say, or says too much.
inline constexpr size_t kFrameHeaderBytes = 18;  // zstd's, at most
std::optional<uint64_t> raw_bytes_of(Encoding encoding, Bytes beginning, uint64_t stored_bytes);

}  // namespace kernloop::archive
