// Floating-point atomics on fine-grained memory. The L2 cache executes them, and such memory is not cached: on MI200
// (gfx90a), gfx10 and gfx11 they do nothing, with no error; on MI300 (gfx942) the Infinity Fabric executes them (AMD,
// "Hardware atomics operation support", support summary). Replays put all memory on the device, and the software GPU
// executes them everywhere, which is why the regions are watched.
#pragma once

#include "archive/manifest/manifest.h"
#include "replay/core/device/device.h"
#include "replay/core/launch/program.h"
#include "verdict/events.h"

namespace kernloop::replay {

// Watches the regions of the capture, for `program`; does nothing if the device cannot.
Status watch_float_atomics(const archive::Manifest& manifest, DeviceReplay& device, Program& program);

// A `float_atomic` event for each region with one, with its `effect`: `none`, or `unknown_memory` if the capture does
// not tell whether the memory is fine-grained.
void tell_float_atomics(const LaunchOutcome& outcome, const Program& program, EventSink& sink);

}  // namespace kernloop::replay
