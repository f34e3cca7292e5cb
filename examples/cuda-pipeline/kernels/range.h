#pragma once

#include <cuda_runtime.h>

namespace pipeline {

// Passed to kernels by value.
struct Range {
  float low;
  float high;
  __host__ __device__ float clamp(float v) const { return v < low ? low : (v > high ? high : v); }
};

}  // namespace pipeline
