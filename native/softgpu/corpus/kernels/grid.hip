// Grids whose blocks wait for each other.
#include "device.h"

#include <hip/hip_cooperative_groups.h>

#if defined(__gfx942__) || defined(__gfx1100__)
// What HIP launches before a cooperative kernel, for hip_on_hsa: `others` workgroups and one more take part.
KERNEL void initialise_grid_barrier(unsigned others) {
  __builtin_amdgcn_ds_gws_init(others, 0);
}
#endif

// Each block writes, all wait, each reads what another wrote; again and again.
KERNEL void grid_sync(unsigned* data, unsigned rounds) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned i = global_index(), n = gridDim.x * blockDim.x;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned other = data[(i + blockDim.x * (round + 1) + 1) % n];
    grid.sync();
    data[i] = data[i] * 3 + other;
    grid.sync();
  }
  if (grid.thread_rank() == i && grid.size() == n && grid.is_valid()) data[i] += 1;
}

// The barrier that programs write themselves: a counter that the last block of a generation resets.
__device__ unsigned arrived, generation;
__device__ void wait_for_all() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned mine = __hip_atomic_load(&generation, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __threadfence();
    if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      atomicAdd(&generation, 1u);
    } else {
      while (__hip_atomic_load(&generation, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == mine)
        __builtin_amdgcn_s_sleep(2);
    }
    __threadfence();
  }
  __syncthreads();
}
KERNEL void own_barrier(unsigned* data, unsigned rounds) {
  const unsigned i = global_index(), n = gridDim.x * blockDim.x;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned other = data[(i + blockDim.x * (round + 1) + 1) % n];
    wait_for_all();
    data[i] = data[i] * 3 + other;
    wait_for_all();
  }
}

// One pass over the input: a block waits for the sum of its predecessors ("decoupled look-back").
KERNEL void chained_scan(const unsigned* in, unsigned* out, unsigned long* totals, unsigned* ticket) {
  __shared__ unsigned block, before, sums[256];
  const unsigned t = threadIdx.x;
  if (t == 0) block = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned i = block * blockDim.x + t;
  sums[t] = in[i];
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    const unsigned below = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += below;
  }
  __syncthreads();
  if (t == 0) {
    unsigned long previous = 1ul << 32;
    while (block > 0 &&
           (previous = __hip_atomic_load(&totals[block - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) >> 32 == 0)
      __builtin_amdgcn_s_sleep(1);
    before = static_cast<unsigned>(previous);
    const unsigned total = before + sums[blockDim.x - 1];
    __hip_atomic_store(&totals[block], 1ul << 32 | total, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
  __syncthreads();
  out[i] = before + sums[t];
}
