// Landlock: which files the program sees, whatever the user's own permissions are.
#pragma once

#include "base/result.h"
#include "sandbox/options.h"

namespace kernloop::sandbox {

/// ABI of this kernel's Landlock; 0 if there is none, or if it is switched off.
int landlock_abi();

/// Restricts this process and all that descend from it. Needs no_new_privs.
Status restrict_files(const Options& options);

}  // namespace kernloop::sandbox
