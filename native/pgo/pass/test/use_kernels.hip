// Kernels for the tests of -kernloop-pgo=use.
#include <hip/hip_runtime.h>

// Instruction selection makes a loop over lanes of each reduction, so that its block becomes five, and those behind it
// have other numbers.
extern "C" __global__ void split(double* out, int n, int iterations) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= n) return;
  double sum = thread;
  for (int i = 0; i < iterations; ++i) {
    sum += __builtin_amdgcn_wave_reduce_min_u32(thread * 7 + i, 0);  // reduced
    sum += __builtin_amdgcn_wave_reduce_max_u32(thread * 5 - i, 0);
    if ((thread + i) % 64 == 0) {
      out[thread] = sum;  // rare
      sum *= 0.25;
    }
  }
  out[thread] = sum;
}

// Three rounds of four end early. What is behind is visited less often than the head of the loop, though no way out
// leads past it.
extern "C" __global__ void skipping(double* out, int n, int iterations) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = thread;
  int i = 0;
  for (;;) {
    ++i;
    sum = sum * 0.5 + i;
    if (i % 4 != 0) continue;
    *(volatile double*)(out + thread) = sum;  // fourth
    if (i >= iterations) break;
  }
  out[thread] = sum + n;
}

// Two branches that nearly always go one way, and between them lanes talk to each other: all of them, or it goes wrong.
extern "C" __global__ void convergent(double* out, int n, int iterations) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int* words = (int*)out;
  const int x = words[thread];
  int sum = n;
  if ((x & 1) == 0) {
    words[thread + 1024] = iterations;
    sum += 3;
  }
  sum += __builtin_amdgcn_ds_bpermute(thread * 4 + 4, sum);
  if ((x & 2) == 0) {
    words[thread + 2048] = sum;
    sum += 5;
  }
  words[thread + 3072] = sum;
}
