// What whoever asks for a replay saw in the files that it is to read. Another content by the time that it is read, or
// for as long, would be judged in the name of the one that was seen.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/digest.h"
#include "base/result.h"

namespace kernloop::replay {

// By path, as it is named to the program.
using ExpectedFiles = std::map<std::filesystem::path, Digest>;

// INPUT_CHANGED where another content is expected of `path` than `digest`, that of the bytes that were read.
Status check_expected(const ExpectedFiles& expected, const std::filesystem::path& path, const Digest& digest);

// As archive::read_text, and checked.
Result<std::string> read_expected(const ExpectedFiles& expected, const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace kernloop::replay
