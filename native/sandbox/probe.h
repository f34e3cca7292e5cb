// Tells whether this kernel, container and user allow a sandbox.
#pragma once

namespace kernloop::sandbox {

/// Confines a process that does nothing, and prints an event `sandbox`. Returns 0 if programs can be confined, else 5.
int probe();

}  // namespace kernloop::sandbox
