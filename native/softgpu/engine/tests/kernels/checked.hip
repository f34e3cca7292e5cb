// Kernels with one mistake each, and the same without it.
#include "gpu.h"

extern "C" __global__ void fill_from(uint* out, uint first, uint n) {
  const uint i = local_x();
  if (i < n) out[first + i] = i;
}

extern "C" __global__ void add_one(const uint* in, uint* out, uint n) {
  const uint i = group_x() * 64 + local_x();
  if (i < n) out[i] = in[i] + 1;
}

// A struct of which a field has never been written, and need not have been.
struct Pair {
  unsigned short first, second;
};
extern "C" __global__ void first_of_pairs(const Pair* in, uint* out) {
  out[local_x()] = in[local_x()].first;
}

template <bool synchronises>
__device__ void sum_block(const uint* in, uint* out) {
  __shared__ uint partial[256];
  const uint t = local_x();
  partial[t] = in[t];
  barrier();
  for (uint step = 128; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    if (synchronises) barrier();
  }
  if (t == 0) out[0] = partial[0];
}
extern "C" __global__ void sum(const uint* in, uint* out) {
  sum_block<true>(in, out);
}
extern "C" __global__ void sum_with_race(const uint* in, uint* out) {
  sum_block<false>(in, out);
}

// Each wave reads what the next one has written: a barrier before it is needed, and one before it is written again.
template <bool before, bool after>
__device__ void rotate_block(uint* out, uint rounds) {
  __shared__ uint values[256];
  const uint t = local_x();
  uint mine = t;
  for (uint round = 0; round < rounds; ++round) {
    values[t] = mine;
    if (before) barrier();
    mine = values[(t + 64) % 256];
    if (after) barrier();
  }
  out[t] = mine;
}
extern "C" __global__ void rotate(uint* out, uint rounds) {
  rotate_block<true, true>(out, rounds);
}
extern "C" __global__ void rotate_reading_early(uint* out, uint rounds) {
  rotate_block<false, true>(out, rounds);
}
extern "C" __global__ void rotate_writing_early(uint* out, uint rounds) {
  rotate_block<true, false>(out, rounds);
}

template <bool clears>
__device__ void count_block(const uint* in, uint* out) {
  __shared__ uint counts[64];
  const uint t = local_x();
  if (clears) {
    if (t < 64) counts[t] = 0;
    barrier();
  }
  __hip_atomic_fetch_add(&counts[in[t] % 64], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  barrier();
  if (t < 64) out[t] = counts[t];
}
extern "C" __global__ void count(const uint* in, uint* out) {
  count_block<true>(in, out);
}
extern "C" __global__ void count_from_nothing(const uint* in, uint* out) {
  count_block<false>(in, out);
}
