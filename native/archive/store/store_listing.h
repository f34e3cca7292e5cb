// Lists a chunk store: every file that has a chunk's name. Other files of the store are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "archive/chunks/chunk.h"

namespace kernloop::archive {

struct StoreFile {
  Digest digest;
  Encoding encoding = Encoding::kRaw;
  std::filesystem::path path;
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // since the epoch
};

// FILE_NOT_FOUND if there is none, IO_ERROR if it cannot be read.
Status find_store(const std::filesystem::path& store);

// Chunks whose digest begins with this byte, by digest; a chunk may be there in both encodings. A store of millions is
// listed folder by folder, which bounds memory. IO_ERROR if an existing folder cannot be read.
Result<std::vector<StoreFile>> list_store(const std::filesystem::path& store, uint8_t first);

}  // namespace kernloop::archive
