// Chunks by the captures that name them, for more than memory should hold: divided by the first byte of the digest,
// which lets a store's folders be processed one by one. Large lists go to an unnamed file.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "archive/files/file.h"
#include "base/digest.h"
#include "base/result.h"

namespace kernloop::archive {

struct ChunkUse {
  Digest digest;
  uint32_t capture = 0;
  uint32_t packed = 0;  // 1: the capture's own pack has it
  auto operator<=>(const ChunkUse&) const = default;
};

class NamedChunks {
 public:
  Status add(const ChunkUse& use);
  // Renames the captures: capture `i` becomes `numbers[i]`.
  void renumber(std::vector<uint32_t> numbers) { numbers_ = std::move(numbers); }
  // By digest, then by capture.
  Result<std::vector<ChunkUse>> beginning_with(uint8_t first) const;

 private:
  static constexpr size_t kHeld = 512;  // per first byte: 5 MiB in all

  struct Bucket {
    std::vector<ChunkUse> held;
    std::vector<uint64_t> blocks;  // offsets of further blocks of kHeld in the file
  };
  Status spill(Bucket& bucket);

  std::array<Bucket, 256> buckets_;
  std::vector<uint32_t> numbers_;
  FileDescriptor file_;
  uint64_t end_ = 0;
};

}  // namespace kernloop::archive
