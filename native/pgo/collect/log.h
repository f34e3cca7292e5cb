// Messages of a collector on the app's stderr: warnings always, details if LLVM_PROFILE_VERBOSE is set, as in LLVM's
// own runtime.
#pragma once

#include <string>

#include "base/result.h"

namespace kernloop::pgo {

bool verbose();
void note(const std::string& text);  // only where verbose
void warn(const std::string& text);
void warn(const Error& error);

}  // namespace kernloop::pgo
