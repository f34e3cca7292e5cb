// Profiles on disk: which files belong together, and how they are called.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "pgo/format/device_image.h"
#include "pgo/format/profile.h"

namespace kernloop::pgo {

Result<Buffer> read_file(const std::filesystem::path& path);
Status write_file(const std::filesystem::path& path, Bytes bytes);  // by rename

// A raw profile, with .unifcnts and .wavecnts of the same name where they exist, or an indexed one.
Result<std::vector<Profile>> read_profiles(const std::filesystem::path& path, bool side_files = true);

// "<base>.amdgcn-amd-amdhsa.<CUID>.profraw" of "<base>.profraw"; side files have the same name but for the extension.
std::filesystem::path unit_path(const std::filesystem::path& base, const UnitProfile& unit);

// All three files of a unit; returns their paths, the raw profile first.
Result<std::vector<std::filesystem::path>> write_unit(const std::filesystem::path& raw, const UnitProfile& unit);

}  // namespace kernloop::pgo
