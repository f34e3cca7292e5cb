#include <iostream>
#include <string>

#include "archive/chunk_transfer.h"
#include "archive/commands.h"

namespace kernloop::archive {

namespace {

// One digest a line on stdin, until its end.
Result<std::vector<Digest>> digests_from_stdin() {
  std::vector<Digest> digests;
  for (std::string line; std::getline(std::cin, line);) {
    const auto digest = Digest::parse(line);
    if (!digest)
      return Error{"USAGE", "not a SHA-256 on stdin: " + line.substr(0, 80), "give 64 hexadecimal digits a line"};
    digests.push_back(*digest);
  }
  return digests;
}

}  // namespace

int export_command(const Reader& reader, const std::filesystem::path& folder) {
  const auto wanted = digests_from_stdin();
  if (!wanted) return print(error_event(wanted.error()));
  const auto bytes = export_chunks(reader, *wanted, folder);
  if (!bytes) return print(error_event(bytes.error()));
  return print({{"event", "exported"}, {"chunks", wanted->size()}, {"bytes", *bytes}});
}

int import_command(const std::filesystem::path& folder, const std::filesystem::path& store) {
  const auto imported = import_chunks(folder, store);
  if (!imported) return print(error_event(imported.error()));
  return print({{"event", "imported"}, {"chunks", imported->chunks}, {"bytes_added", imported->bytes_added}});
}

}  // namespace kernloop::archive
