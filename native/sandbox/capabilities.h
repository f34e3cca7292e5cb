// Root's privileges: without them it is a user like any other.
#pragma once

#include "base/result.h"

namespace kernloop::sandbox {

/// Gives up all capabilities of this process, and those that starting a program would give to root. Fails if any stays.
Status drop_capabilities();

}  // namespace kernloop::sandbox
