// The kernel-argument segment of a replay: the captured bytes, with the slots that only meant something in the app's
// process zeroed.
#pragma once

#include "archive/manifest/manifest.h"
#include "base/result.h"
#include "codeobject/code_object.h"
#include "replay/core/device/device.h"

namespace kernloop::replay {

// `launched` is the captured kernel itself or a variant of it. Their explicit arguments must have the same offsets;
// hidden ones may differ (a variant may use blockDim although the original did not) and are filled by kind. `appended`:
// sizes of the only parameters that `launched` may have behind these; they are zeroed. KERNARG_MISMATCH otherwise.
Result<Buffer> build_kernarg(const archive::Manifest& manifest, const codeobject::Kernel& captured,
                             const codeobject::Kernel& launched, const std::vector<uint32_t>& appended = {});

// Writes the values of the last explicit arguments of `launched`, one for each value given.
void put_appended(const codeobject::Kernel& launched, const std::vector<uint64_t>& values, Buffer& kernarg);

// The hidden arguments of `kernel` that lead to a service of the HIP runtime (hostcall, heap, …) and are null in
// `kernarg`. Code that only might need one has them, too: all of it without optimisation, an assertion that holds.
std::vector<std::string> services_left_null(const codeobject::Kernel& kernel, const Buffer& kernarg);
// Offsets of the arguments that HIP never leaves null if a kernel has them.
std::vector<uint32_t> services_of_apps(const codeobject::Kernel& kernel, const Buffer& kernarg);

// Writes the geometry of the launch into the hidden arguments of `kernel`. For a launch that is not the captured one.
void describe_geometry(const codeobject::Kernel& kernel, Launch& launch);

}  // namespace kernloop::replay
