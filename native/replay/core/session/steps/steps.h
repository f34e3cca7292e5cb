// The steps of a replay in their order.
#pragma once

#include "replay/core/session/steps/step.h"

namespace kernloop::replay {

// The requested steps, in the order in which they are called. `run` must outlive them.
Steps steps_of(Run& run);

// Observe the iterations.
std::unique_ptr<Step> conditions_step(Run& run);        // conditions of the device
std::unique_ptr<Step> find_overwritten_step(Run& run);  // by the record of accesses, which the device must keep
std::unique_ptr<Step> find_unused_step(Run& run);       // likewise
std::unique_ptr<Step> dump_step(Run& run);
std::unique_ptr<Step> lens_step(Run& run);
std::unique_ptr<Step> probes_step(Run& run);

// Read what an earlier self-check found.
std::unique_ptr<Step> known_varying_step(Run& run);

// Launch again.
std::unique_ptr<Step> own_state_step(Run& run);
std::unique_ptr<Step> disturbed_step(Run& run);
std::unique_ptr<Step> fills_step(Run& run);  // reads the bytes to fill, too
std::unique_ptr<Step> machine_in_use_step(Run& run);
std::unique_ptr<Step> search_overwritten_step(Run& run);

// Proves that a difference would have been noticed.
std::unique_ptr<Step> injection_step(Run& run);

}  // namespace kernloop::replay
