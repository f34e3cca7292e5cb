// A kernel that lives in a header: its translation unit is linear.cu.
#pragma once

#include <cuda_runtime.h>

#include "range.h"

namespace pipeline {

__global__ void __launch_bounds__(256) clamp_to_range(float* x, Range range, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = range.clamp(x[i]);
}

}  // namespace pipeline
