// Three processes: the caller's child waits for the supervisor, which is in a session of its own and waits for the
// program. So a SIGKILL to the caller's process group does not reach the supervisor, which learns of it (parent death
// signal) and ends the program with all that it started. If the supervisor itself is killed, the first one does.
#pragma once

#include "sandbox/options.h"

namespace kernloop::sandbox {

/// Runs the program and returns its exit code; dies of its signal. No process of it is left then.
int supervise(const Options& options);

}  // namespace kernloop::sandbox
