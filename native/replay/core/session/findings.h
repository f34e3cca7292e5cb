// Reports what a device's checks found in a launch, located in captured memory and in the code.
#pragma once

#include "replay/core/device/device.h"
#include "replay/core/launch/program.h"
#include "replay/core/memory/snapshot.h"
#include "verdict/events.h"

namespace kernloop::replay {

// Emits a `finding` event each, and one `adverse` event: how much ran in the adverse order. Nothing if none was
// requested.
void tell_findings(const LaunchOutcome& outcome, const Program& program, const Snapshot& snapshot, EventSink& sink);

// Emits a `past_lds` event for each instruction that went past the end of LDS, in any order.
void tell_past_lds(const Json& past_lds, const Program& program, EventSink& sink);

}  // namespace kernloop::replay
