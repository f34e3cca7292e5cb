// The container of packed captures: plain tar (POSIX ustar, with a pax header for sizes that ustar cannot express),
// which every tar reads. One of the many ways to write an entry is used, and only that one is read back: a plain file
// without owner, time or link.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace kernloop::archive {

inline constexpr uint64_t kTarBlockBytes = 512;
inline constexpr uint64_t kTarEndBytes = 2 * kTarBlockBytes;  // zeros

struct TarEntry {
  std::string name;  // at most 80 bytes
  uint64_t size = 0;
  bool pax = false;  // its size is in a pax header: for sizes that may be beyond 8 GiB
};

inline constexpr uint64_t kMaxUstarSize = (uint64_t{1} << 33) - 1;  // eleven octal digits

// One block, or three with a pax header.
Buffer tar_header(const TarEntry& entry);

// Zeros between a content of that size and the next block.
uint64_t tar_padding(uint64_t size);

struct TarHeader {
  TarEntry entry;
  uint64_t header_bytes = 0;
};

// Parses the blocks at the beginning of `blocks` (up to three); nullopt for a block of zeros, which ends the file. The
// error's message describes the entry's fault; its code and hint are the caller's.
Result<std::optional<TarHeader>> parse_tar_header(Bytes blocks);

}  // namespace kernloop::archive
