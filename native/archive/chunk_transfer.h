// Chunks on their way between machines: as plain files of raw content, `<folder>/<sha256>`, which is the form that
// content-addressed HTTP servers keep (`/cas/<sha256>`).
#pragma once

#include <filesystem>
#include <vector>

#include "archive/reader.h"

namespace kernloop::archive {

// Writes those chunks of a capture, each verified. A file that is there is left: it is that chunk, or the next reader
// of it says not. Returns the bytes of raw content.
Result<uint64_t> export_chunks(const Reader& reader, const std::vector<Digest>& wanted,
                               const std::filesystem::path& folder);

struct Imported {
  uint64_t chunks = 0;
  uint64_t bytes_added = 0;  // as stored: less than their content where it compresses or was there
};

// Puts every chunk of the folder into a store. Stops with CHUNK_CORRUPT at a file that is not what its name says. Files
// of other names are passed over. Durable when it returns.
Result<Imported> import_chunks(const std::filesystem::path& folder, const std::filesystem::path& store);

}  // namespace kernloop::archive
