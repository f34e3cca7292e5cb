// A second address for memory of the program. libhsakmt gives registered memory an address of its own on the GPU
// (KFD_IOC_ALLOC_MEM_FLAGS_USERPTR), and the engine, which has no page tables, reads addresses of the host.
#pragma once

#include <cstdint>

namespace kernloop::softgpu::kfd {

// The pages at `user` appear at `gpu`, too. Private memory becomes shared on the way, at its address; concurrent writes
// of other threads may be lost. False, with errno: unmapped or unreadable memory, or the stack of the caller.
bool show_twice(uint64_t user, uint64_t gpu, uint64_t bytes);

}  // namespace kernloop::softgpu::kfd
