// What a collector says, on the app's stderr: warnings always, details where LLVM_PROFILE_VERBOSE is set, as LLVM's own
// runtime does.
#pragma once

#include <string>

#include "base/result.h"

namespace kernloop::pgo {

bool verbose();
void note(const std::string& text);  // only where verbose
void warn(const std::string& text);
void warn(const Error& error);

}  // namespace kernloop::pgo
