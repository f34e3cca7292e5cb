// Handles the packets that the app submits.
#pragma once

#include "capture/hsa/agent.h"

namespace kernloop::capture {

// hsa_amd_queue_intercept_handler; `data` is the QueueState.
void on_packets(const void* packets, uint64_t count, uint64_t user_index, void* data, PacketWriter write);

}  // namespace kernloop::capture
