// What lies in a chunk store: every file that has a chunk's name. Other files of the store are not looked at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "archive/chunk.h"

namespace kernloop::archive {

struct StoreFile {
  Digest digest;
  Encoding encoding = Encoding::kRaw;
  std::filesystem::path path;
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // since the epoch
};

// By digest; a chunk may be there in both encodings. FILE_NOT_FOUND where there is no store.
Result<std::vector<StoreFile>> list_store(const std::filesystem::path& store);

}  // namespace kernloop::archive
