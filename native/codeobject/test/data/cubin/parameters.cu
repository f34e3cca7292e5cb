// Parameters and module variables. The .cubin files beside this one are the compiled forms: see README.md.
#include "parameters.h"

__device__ int d_counter = 3;
__device__ float d_big[8];
static __device__ int d_static = 5;
__device__ int d_target;
__device__ int* d_pointer = &d_target;
__managed__ short m_managed[3] = {4, 5, 6};
__constant__ float c_table[4] = {1, 2, 3, 4};
static __constant__ double c_static[2];

extern "C" __global__ void fill(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * c_table[i & 3] + d_big[i & 7] + static_cast<float>(c_static[i & 1]);
  if (i == 0) d_counter += d_static++ + m_managed[n % 3]++ + *d_pointer;
}

__global__ void mixed(char first, Mixed mixed, float* out, bool last) {
  out[0] = first + mixed.tag + mixed.count + mixed.pair.a + mixed.pair.b + mixed.tail[2] + last;
}

__global__ void opaque(int n, const __grid_constant__ Opaque map, float* out) {
  out[threadIdx.x] = reinterpret_cast<const float*>(&map)[threadIdx.x % n];
}

__global__ void large(float* out, Large large, short n) {
  out[threadIdx.x] = large.weights[threadIdx.x] + n;
}

__global__ void nothing() {}
