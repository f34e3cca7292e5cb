// Doing the work of a stream, on its thread.
#pragma once

#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {

// A fault makes the context unusable; in such a context nothing is done any more.
void perform(CUcontext context, const Work& work);

// Copies between any memory that the host or the device can reach. False: an unreachable address.
bool copy_bytes(uint64_t destination, uint64_t source, uint64_t bytes);

}  // namespace kernloop::cuda::fake
