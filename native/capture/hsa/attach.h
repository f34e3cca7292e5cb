// Installs the agent in a process: its functions go into the runtime's tables.
#pragma once

#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

// If it does not attach although it was meant to, it says why to the recorder, the log and stderr. A second call does
// nothing: a runtime may hand its tables to HSA_TOOLS_LIB and to rocprofiler.
void attach(HsaApiTable& table);
// The runtime goes down in good order.
void detach();

}  // namespace kernloop::capture
