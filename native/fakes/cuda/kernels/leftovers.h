// A word that stands for all of shared memory but what is reserved where one block has the rest, one for that, and one
// for all of local memory: what launches before left there.
#pragma once

#include <cstdint>

namespace kernloop::cuda::fake {

uint32_t& left_in_shared_memory();
uint32_t& left_in_reserved_memory();
uint32_t& left_in_local_memory();

}  // namespace kernloop::cuda::fake
