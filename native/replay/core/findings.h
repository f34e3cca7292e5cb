// What a device's checks found in a launch, told with where it lies in captured memory and in the code.
#pragma once

#include "replay/core/device.h"
#include "replay/core/events.h"
#include "replay/core/program.h"
#include "replay/core/snapshot.h"

namespace kernloop::replay {

// A `finding` event each, and one `adverse` event: how much ran in the adverse order. Nothing where none was asked for.
void tell_findings(const LaunchOutcome& outcome, const Program& program, const Snapshot& snapshot, EventSink& sink);

// A `past_lds` event for each instruction that went past the end of LDS, in whatever order.
void tell_past_lds(const Json& past_lds, const Program& program, EventSink& sink);

}  // namespace kernloop::replay
