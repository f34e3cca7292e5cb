// Output of merging: the text profile, from which `llvm-profdata-22 merge` makes an indexed one, and the side file for
// the plugin and for reports.
#pragma once

#include <string>

#include "base/result.h"
#include "pgo/format/profile.h"

namespace kernloop::pgo {

inline constexpr const char* kWavesSchema = "kernloop.pgo-waves/1";

// An error if a name cannot be written in a form that can be read back.
Result<std::string> write_text(const Profile& profile);

// The text of a file of kWavesSchema.
std::string write_waves_json(const Profile& profile, const std::string& sampling);

}  // namespace kernloop::pgo
