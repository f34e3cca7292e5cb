// Floating-point atomics on memory of the host, where what they do depends on the target and on the memory. Replays put
// all memory on the device, and the software GPU executes them everywhere: whoever wants to know has to watch.
//
// On gfx90a (MI200) they do nothing where the memory is fine-grained, with no error (AMD, "Hardware atomics operation
// support"; clang, -munsafe-fp-atomics). gfx942 (MI300) executes them in either kind.
#pragma once

#include "archive/manifest.h"
#include "replay/core/device.h"
#include "replay/core/events.h"
#include "replay/core/program.h"

namespace kernloop::replay {

// Those of the regions of the capture, for `program`. Nothing where the device cannot tell.
Status watch_float_atomics(const archive::Manifest& manifest, DeviceReplay& device, Program& program);

// A `float_atomic` event for each region with one, with its `effect`: `none`, or `unknown_memory` (nobody recorded of
// which kind it is) or `unknown_target`.
void tell_float_atomics(const LaunchOutcome& outcome, const Program& program, EventSink& sink);

}  // namespace kernloop::replay
