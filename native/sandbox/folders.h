// The folders that the program may change, seen from outside.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sandbox/descendants.h"

namespace kernloop::sandbox {

/// Bytes on disk of all that is below the folders, and of removed files that these processes hold open. Each entry
/// counts as a block at least. Stops counting above `most`. nullopt if something is hidden.
std::optional<uint64_t> used_bytes(std::span<const std::string> folders, const Tree& tree, uint64_t most);

/// Gives the owner all rights to folders that the program made without: else nobody but root could remove them.
void make_removable(std::span<const std::string> folders);

}  // namespace kernloop::sandbox
