#include <iostream>
#include <string>

#include "archive/chunk_transfer.h"
#include "archive/commands.h"

namespace kernloop::archive {

// Reads one digest a line on stdin, until its end; each is answered when its file is there. The caller can then send
// it, remove it, and ask for more than a disk would hold.
int export_command(const Reader& reader, const std::filesystem::path& folder) {
  const ChunkExport exporting(reader, folder);
  uint64_t chunks = 0, bytes = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto digest = Digest::parse(line);
    if (!digest) {
      return print(
          error_event({"USAGE", "not a SHA-256 on stdin: " + line.substr(0, 80), "give 64 hexadecimal digits a line"}));
    }
    const auto written = exporting.write(*digest);
    if (!written) return print(error_event(written.error()));
    ++chunks;
    bytes += *written;
    print({{"event", ArchiveEvent::exported_chunk}, {"sha256", digest->hex()}, {"bytes", *written}});
  }
  return print({{"event", ArchiveEvent::exported}, {"chunks", chunks}, {"bytes", bytes}});
}

int import_command(const std::filesystem::path& folder, const std::filesystem::path& store) {
  const auto imported = import_chunks(folder, store);
  if (!imported) return print(error_event(imported.error()));
  return print(
      {{"event", ArchiveEvent::imported}, {"chunks", imported->chunks}, {"bytes_added", imported->bytes_added}});
}

}  // namespace kernloop::archive
