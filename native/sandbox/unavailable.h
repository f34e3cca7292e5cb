// The error of a sandbox that cannot be set up.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/result.h"

namespace kernloop::sandbox {

/// With the reason of the last system call.
inline Error unavailable(const std::string& what) {
  return Error{"SANDBOX_UNAVAILABLE", what + ": " + std::strerror(errno), "run `kernloop-sandbox --probe`"};
}

}  // namespace kernloop::sandbox
