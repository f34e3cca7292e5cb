// The command line of kernloop-sandbox.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kernloop::sandbox {

struct Limits {
  /// Address space of each process, and resident memory of all of them together.
  std::optional<uint64_t> memory_bytes;
  /// Size of each written file.
  std::optional<uint64_t> file_bytes;
  /// Disk space of all that is in the folders that may be changed, and of removed files that are still open.
  std::optional<uint64_t> folder_bytes;
  /// CPU time of each process.
  std::optional<uint64_t> cpu_seconds;
  /// Processes and threads at a time. A linker starts a thread for each core, NumPy too.
  uint64_t processes = 512;
};

struct Options {
  /// Files and folders that may be read, and whose programs may be started.
  std::vector<std::string> read;
  /// Folders in which regular files and folders may be read, made, changed and removed.
  std::vector<std::string> write;
  /// The whole environment, as NAME=VALUE.
  std::vector<std::string> environment;
  Limits limits;
  /// Highest ABI of Landlock that is used, so that tests show what holds on older kernels.
  int most_abi = 1 << 16;
  /// Program and arguments.
  std::vector<std::string> command;
};

Result<Options> parse_options(std::span<const std::string> words);

}  // namespace kernloop::sandbox
