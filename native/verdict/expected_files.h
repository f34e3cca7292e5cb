// Digests of the files as the caller saw them when it asked for a replay. Another content at the time of reading, even
// if only then, would be judged in the name of the one that the caller saw.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/digest.h"
#include "base/result.h"

namespace kernloop::replay {

// By path, as passed to the program.
using ExpectedFiles = std::map<std::filesystem::path, Digest>;

// INPUT_CHANGED if `path` is expected to have another digest than `digest`, that of the bytes read.
Status check_expected(const ExpectedFiles& expected, const std::filesystem::path& path, const Digest& digest);

// archive::read_text, with the digest checked.
Result<std::string> read_expected(const ExpectedFiles& expected, const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace kernloop::replay
