// Memory faults of the GPU. AMD's runtime reports them to no queue: unless a handler of system events handles one, it
// prints the fault's address and ends the process.
#pragma once

#include "capture/hsa/agent.h"

namespace kernloop::capture {

// From the first queue on; again for another instance of the agent.
void watch_memory_faults(Agent& agent);
std::string describe_memory_fault(uint64_t address);
// Waits until a capture in the failed queue has reported the reason to the recorder. Has a limit.
void wait_until_told(const QueueState& state);

}  // namespace kernloop::capture
