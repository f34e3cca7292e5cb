// Turns this process into the program, confined. Nothing of it is undone by a program that it starts.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"
#include "sandbox/options.h"

namespace kernloop::sandbox {

/// Everything but the start of the program: descriptors, limits, privileges, files, calls. `kept` is the one descriptor
/// above 2 that stays open until the program starts. The result answers starts (seccomp.h).
Result<FileDescriptor> confine(const Options& options, FileDescriptor& kept);

/// Returns only if the program cannot be started, with errno.
void start_program(const Options& options);

}  // namespace kernloop::sandbox
