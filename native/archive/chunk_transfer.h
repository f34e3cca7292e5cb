// Chunks on their way between machines: as plain files of raw content, `<folder>/<sha256>`, the form of
// content-addressed HTTP servers (`/cas/<sha256>`).
#pragma once

#include <filesystem>
#include <map>

#include "archive/capture/reader.h"

namespace kernloop::archive {

// Writes chunks of a capture into a folder, each verified. Chunks are located once.
class ChunkExport {
 public:
  ChunkExport(const Reader& reader, std::filesystem::path folder);

  // An existing file is left: its next reader notices if it is not that chunk. Returns the bytes of raw content.
  Result<uint64_t> write(const Digest& wanted) const;

 private:
  struct Use {
    ContentView view;
    size_t index = 0;
  };
  const Reader& reader_;
  std::filesystem::path folder_;
  std::map<Digest, Use> uses_;
};

struct Imported {
  uint64_t chunks = 0;
  uint64_t bytes_added = 0;  // stored size: fewer than their content if it compresses or was there
};

// Puts every chunk of the folder into a store. Stops with CHUNK_CORRUPT at a file whose content does not match its
// name. Files of other names are ignored. Durable when it returns.
Result<Imported> import_chunks(const std::filesystem::path& folder, const std::filesystem::path& store);

}  // namespace kernloop::archive
