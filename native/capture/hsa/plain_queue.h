// Queues that cannot be intercepted. Their dispatches are not seen, but a capture waits for them like for all others: a
// barrier of ours follows what is in such a queue, and nobody gets a place behind it while the app's calls are held.
// Barriers of ours before the app's packets, too, show at which one the queue waits (barrier_places.h).
#pragma once

#include "capture/core/deadline.h"
#include "capture/hsa/queues/queue_state.h"

namespace kernloop::capture {

class Agent;

// The runtime has returned the queue; several calls may return the same one.
void add_plain(Agent& agent, hsa_agent_t device, hsa_queue_t* queue);

// Adds a barrier that takes one from the queue's signal. False if the queue was full until the deadline, which may have
// passed.
bool submit_barrier(const HsaOriginals& hsa, QueueState& state, Deadline deadline);

}  // namespace kernloop::capture
