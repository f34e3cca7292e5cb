// Beginning of every kernel file of the corpus.
#pragma once

#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__

__device__ inline unsigned global_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
