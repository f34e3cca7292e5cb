// The kernel-argument segment of a replay: the captured bytes, with the slots that only meant something in the app's
// process zeroed.
#pragma once

#include "archive/manifest.h"
#include "codeobject/code_object.h"
#include "support/result.h"

namespace kernloop::replay {

// `launched` is the captured kernel itself or a variant of it. Their explicit arguments must lie at the same places;
// hidden ones may differ (a variant may use blockDim where the original did not) and are filled by kind.
// KERNARG_MISMATCH otherwise.
Result<archive::Buffer> build_kernarg(const archive::Manifest& manifest, const codeobject::Kernel& captured,
                                      const codeobject::Kernel& launched);

}  // namespace kernloop::replay
