// What the checks of HIP's surface launch.
#include <hip/hip_runtime.h>

__device__ int counter = 7;
__constant__ int table[4] = {10, 20, 30, 40};

extern "C" __global__ void fill(int* out, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

extern "C" __global__ void add(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

extern "C" __global__ void look_up(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[i % 4] + counter;
}

extern "C" __global__ void wait_for(volatile int* flag, int* out) {
  while (*flag == 0) __builtin_amdgcn_s_sleep(1);
  *out = *flag;
}

// Each block adds the sum of its threads' numbers, kept in dynamic LDS, to *out.
extern "C" __global__ void sum_in_lds(const int* in, int n, int* out) {
  extern __shared__ int shared[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, shared[0]);
}
