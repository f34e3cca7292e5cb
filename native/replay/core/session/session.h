// One replay from restored memory to verdict.
#pragma once

#include "archive/capture/reader.h"
#include "replay/core/device/device.h"
#include "replay/core/session/options.h"
#include "verdict/events.h"

namespace kernloop::replay {

struct SessionEnd {
  int exit_code = kExitPass;
  bool device_lost = false;  // the caller must leave without touching the device again
};

// Emits everything, a final `result` or `error` included. `device` is fresh.
SessionEnd run_session(const Options& options, const archive::Reader& reader, DeviceReplay& device, EventSink& sink);

// Exit code for an error: 5 when the environment lacks something, 2 for bad input.
int exit_code_of(const Error& error);

}  // namespace kernloop::replay
