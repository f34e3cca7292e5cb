#include "kernels.h"

namespace {

// Coefficients below 1 keep the values finite for any number of rounds.
template <class Condition>
__device__ __attribute__((always_inline)) inline void spill(double* out, int n, int iterations, Condition is_hot) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= n) return;
  double h0 = thread, h1 = thread + 1, h2 = thread + 2, h3 = thread + 3;
  double h4 = thread + 4, h5 = thread + 5, h6 = thread + 6, h7 = thread + 7;
  double c0 = thread * 2, c1 = thread * 3, c2 = thread * 4, c3 = thread * 5;
  double c4 = thread * 6, c5 = thread * 7, c6 = thread * 8, c7 = thread * 9;
  for (int i = 0; i < iterations; ++i) {
    if (is_hot(thread, i)) {
      h0 = h0 * 0.0101 + h1;
      h1 = h1 * 0.0102 + h2;
      h2 = h2 * 0.0103 + h3;
      h3 = h3 * 0.0104 + h4;
      h4 = h4 * 0.0105 + h5;
      h5 = h5 * 0.0106 + h6;
      h6 = h6 * 0.0107 + h7;
      h7 = h7 * 0.0108 + h0;
    } else {
      c0 = c0 * 0.0101 + c1;
      c1 = c1 * 0.0102 + c2;
      c2 = c2 * 0.0103 + c3;
      c3 = c3 * 0.0104 + c4;
      c4 = c4 * 0.0105 + c5;
      c5 = c5 * 0.0106 + c6;
      c6 = c6 * 0.0107 + c7;
      c7 = c7 * 0.0108 + c0;
    }
  }
  out[thread] = h0 + h1 + h2 + h3 + h4 + h5 + h6 + h7 + c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
}

}  // namespace

#define SPILL_KERNEL extern "C" __global__ __attribute__((amdgpu_num_vgpr(16))) void

SPILL_KERNEL spill_uniform(double* out, int n, int iterations) {
  spill(out, n, iterations, [](int, int i) { return i % 10000 != 0; });
}

SPILL_KERNEL spill_divergent(double* out, int n, int iterations) {
  spill(out, n, iterations, [](int thread, int i) { return (thread + i) % 10000 != 0; });
}

SPILL_KERNEL spill_hot(double* out, int n, int iterations) {
  spill(out, n, iterations, [](int thread, int i) { return (thread + i) % 100 != 0; });
}

SPILL_KERNEL spill_every(double* out, int n, int iterations) {
  spill(out, n, iterations, [](int thread, int i) { return (thread + i) % 32 != 0; });
}
