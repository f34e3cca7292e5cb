// Writes what the device holds now: `<region id>.bin` and `<variable>.bin`.
#pragma once

#include <filesystem>
#include <vector>

#include "replay/core/target.h"

namespace kernloop::replay {

// Safe as a file name whatever the variable is called: other characters become %xx, and regions' names are never taken.
std::string dump_file_name(const Target& target, const std::vector<Target>& all);

Status dump_targets(DeviceReplay& device, const std::vector<Target>& targets, const std::filesystem::path& directory);

}  // namespace kernloop::replay
