// A word that stands for all of shared memory, and one for all of local memory: what launches before left there.
#pragma once

#include <cstdint>

namespace kernloop::cuda::fake {

uint32_t& left_in_shared_memory();
uint32_t& left_in_local_memory();

}  // namespace kernloop::cuda::fake
