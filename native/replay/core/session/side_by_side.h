// The captured code and a variant in one process, over the same restored memory, for a fair comparison of their costs.
#pragma once

#include "archive/capture/reader.h"
#include "replay/core/device/device.h"
#include "replay/core/session/options.h"
#include "replay/core/session/session.h"

namespace kernloop::replay {

// If time is measured, both are loaded, each is launched once and its result compared with *post* (a `checked` event),
// and then they take turns (turns.h). If work is counted, which repeats exactly, one follows the other, each at the
// captured address. Every event of a side says which: "captured" or "variant".
Result<SessionEnd> replay_side_by_side(const Options& options, const archive::Reader& reader, DeviceReplay& device,
                                       EventSink& sink);

}  // namespace kernloop::replay
