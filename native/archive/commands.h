// Conventions shared by the commands of kernloop-archive: one JSON object on stdout, and the exit codes of
// docs/contributing/seams.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/capture/reader.h"
#include "archive/manifest/manifest.h"
#include "base/events/archive.h"
#include "base/exit_code.h"
#include "base/json.h"

namespace kernloop::archive {

// Prints the event; kExitBadInput for an error, else kExitPass.
int print(const Json& event);

// store-verify, store-stats, and store-gc.
bool is_store_command(const std::string& verb);
int run_store_command(const std::vector<std::string>& words);
std::string store_usage();

// export-chunks DIR --output FOLDER [--store DIR]…, with digests on stdin; import-chunks FOLDER --output STORE
int export_command(const Reader& reader, const std::filesystem::path& folder);
int import_command(const std::filesystem::path& folder, const std::filesystem::path& store);

// describe [--ptx]: the kernels of the code object on stdin, and the digests by which it is compared with others.
int describe_command(bool with_ptx);

}  // namespace kernloop::archive
